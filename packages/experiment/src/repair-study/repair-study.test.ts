import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnnxRuntimeDriver } from '@redef/autodiff';
import { parseConfig } from '@redef/models';
import { paperSettings, type SequenceTokenizer } from '@redef/repair/model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRepairReport } from './report.js';
import { type RepairStudy, runRepairStudy } from './run-repair-study.js';
import { type RepairRow, splitFor } from './scenarios.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-repair-study-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const row = (id: string, source: string, target: string): RepairRow => ({ id, source, target });
const rows = {
  train: [
    row('a', 'CWE-1 x y', 'p q'),
    row('b', 'CWE-1 x y', 'p q'), // in-set duplicate
    row('c', 'CWE-2 y z', 'q r'),
    row('d', 'CWE-3 z x', 'r p'),
    row('e', 'CWE-4 z x', 'r p'), // inconsistent tag
  ],
  test: [
    row('f', 'CWE-2 y z', 'q r'), // cross-set duplicate
    row('g', 'CWE-9 z x', 'r p'), // the same under another tag
    row('h', 'CWE-1 y y', 'q q'),
  ],
};
const none = { share: 0, seed: 42 };

test.each([
  ['RQ1', 5, 3, {}],
  ['RQ2A', 3, 3, { 'train in-set-duplicate': 1, 'train cross-set-duplicate': 1 }],
  ['RQ2B', 4, 2, { 'train in-set-duplicate': 1, 'test cross-set-duplicate': 1 }],
  ['RQ3A', 1, 3, { 'train in-set-duplicate': 2, 'train cross-set-duplicate': 2 }],
  ['RQ3B', 3, 1, { 'train in-set-duplicate': 2, 'test cross-set-duplicate': 2 }],
] as const)('%s cuts what the paper cuts', async (scenario, train, tested, removed) => {
  const split = await splitFor(scenario, rows, none);
  expect([split.train.length, split.test.length, split.removed]).toEqual([train, tested, removed]);
});

test('the validation set is drawn from what is left of the training set, the same each time', async () => {
  const many = Array.from({ length: 50 }, (_, i) => row(String(i), `CWE-1 s${i}`, `t${i}`));
  const first = await splitFor('RQ2B', { train: many, test: [] }, { share: 0.2, seed: 42 });
  expect([first.train.length, first.validation.length]).toEqual([40, 10]);
  expect(first.train.filter((each) => first.validation.includes(each))).toEqual([]);
  expect(await splitFor('RQ2B', { train: many, test: [] }, { share: 0.2, seed: 42 })).toEqual(first);
});

// Letters are tokens; the model is large enough to learn five rows by heart.
const letters = 'CWE-0123456789 xyzpqrst';
const tokenizer: SequenceTokenizer = {
  id: 'letters',
  size: 64,
  prefix: Int32Array.of(1),
  suffix: Int32Array.of(2),
  encode: (text) => Int32Array.from(text, (letter) => 3 + letters.indexOf(letter)),
  decode: (ids) => Array.from(ids, (id) => letters[id - 3] ?? '?').join(''),
};
const config = parseConfig({
  model_type: 't5',
  vocab_size: 64,
  d_model: 32,
  d_kv: 8,
  d_ff: 64,
  num_heads: 4,
  num_layers: 1,
  dropout_rate: 0,
});

test('runs the scenarios, finds what the leak was worth, and does nothing twice', async () => {
  const study: RepairStudy = {
    folder,
    rows,
    bugFixes: { train: [row('k', 'CWE-000 z z', 'r r')], validation: [] },
    model: { config, settings: { ...paperSettings(config, tokenizer), max_source_tokens: 16, max_target_tokens: 8 } },
    tokenizer,
    driver: createOnnxRuntimeDriver({ threads: 1 }),
    paddingInLoss: false,
    batchSize: 4,
    threads: 1,
    seeds: [1, 2],
    scenarios: ['RQ1', 'RQ2B', 'bug-fix', 'transfer'],
    width: 2,
    widths: [1, 3],
    validation: none,
    settings: { epochs: 20, batchSize: 1, learningRate: 0.01, checkpointEvery: 1000 },
    preTraining: { epochs: 2, batchSize: 1 },
    scoring: {},
  };
  const cells: string[] = [];
  const results = await runRepairStudy(study, {
    onEvent: (event) => {
      if (event.type === 'cell') cells.push(`${event.scenario} ${event.seed} ${event.width}`);
    },
  });
  expect(results.scores.map(({ scenario, width, seeds }) => `${scenario} ${width} ${seeds.length}`)).toEqual([
    'RQ1 2 2',
    'RQ2B 2 2',
    'bug-fix 1 1',
    'bug-fix 3 1',
    'transfer 1 2',
    'transfer 3 2',
  ]);
  expect(results.leaks).toMatchObject({ leaked: { samples: 1, mean: 1 }, clean: { samples: 2 } });
  expect(results.scores[0]!.mean.paper).toBeGreaterThan(0.3);
  expect(results.scores[0]!.seeds.map(({ seed }) => seed)).toEqual(['1', '2']);
  expect(cells).toContain('transfer 2 3');

  const model = join(folder, 'RQ1', 'seed-1', 'model', 'model.safetensors');
  const written = statSync(model).mtimeMs;
  expect(await runRepairStudy(study)).toEqual(results);
  expect(statSync(model).mtimeMs).toBe(written);

  const { bugFixes: _, ...without } = study;
  await expect(runRepairStudy(without)).rejects.toMatchObject({ code: 'invalid-option' });

  const files = await writeRepairReport(join(folder, 'report'), results);
  expect(files).toContain('figures/perfect-prediction-by-beams.svg');
  const report = readFileSync(join(folder, 'report', 'report.md'), 'utf8');
  expect(report).toMatch(/RQ2B: duplicates cut from test \| 2 \| 2 \|/);
  expect(JSON.parse(readFileSync(join(folder, 'report', 'results.json'), 'utf8'))).toEqual(results);
}, 120_000);
