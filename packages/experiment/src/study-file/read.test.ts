import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paperEncodings } from '@redef/encoders';
import { createLinearEngine } from '@redef/training';
import { afterAll, expect, test } from 'vitest';
import { checkStudy, readStudyFile } from './read.js';
import type { StudyFileInput } from './schema.js';
import { studyDesign } from './to-study.js';

const root = mkdtempSync(join(tmpdir(), 'redef-study-file-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let files = 0;
function write(text: string, extension = 'yaml'): string {
  const path = join(root, `study-${++files}.${extension}`);
  writeFileSync(path, text);
  return path;
}

test('a study of one line has the paper’s defaults', async () => {
  const study = await readStudyFile(write('repositories: [../libuv]'));
  expect(study).toMatchObject({
    repositories: [{ source: '../libuv' }],
    triage: { ballots: 3, rule: 'unanimous-ab' },
    split: { rule: 'per-class' },
    encodings: paperEncodings,
    seeds: [12345, 12346, 12347, 12348, 12349, 12350, 12351, 12352, 12353, 12354],
    training: {
      learning_rate: 1e-5,
      batch_size: 8,
      epochs: 6,
      schedule: 'linear',
      warm_up: 0.1,
      positive_weight: 'balanced',
      select_by: 'f1',
      device: 'cpu',
    },
    context_lines: 3,
    threshold: 'fixed',
    statistics: { significance: 0.05, resamples: 10_000, confidence: 0.95, equivalence_margin: 0.01 },
  });
  expect(study.models.map(({ kind, name }) => [kind, name])).toEqual([
    ['checkpoint', 'CodeBERT'],
    ['checkpoint', 'CodeT5+'],
    ['checkpoint', 'UniXcoder-512'],
    ['checkpoint', 'UniXcoder-1024'],
  ]);
});

test('YAML, TypeScript and JavaScript say the same', async () => {
  const yaml = write(`
repositories:
  - project: redis
    source: ../redis
models: [linear, { kind: chat, model: m, base_url: 'http://127.0.0.1:1/v1' }]
seeds: 1-3
counterfactuals: [reversed-tags, { name: null-edit, encoding: after-only }]
split: { rule: cross-project, test_projects: [redis] }
`);
  const body = `{
    repositories: [{ project: 'redis', source: '../redis' }],
    models: ['linear', { kind: 'chat', model: 'm', base_url: 'http://127.0.0.1:1/v1' }],
    seeds: Array.from({ length: 3 }, (_, i) => i + 1),
    counterfactuals: ['reversed-tags', { name: 'null-edit', encoding: 'after-only' }],
    split: { rule: 'cross-project', test_projects: ['redis'] },
  }`;
  const expected = await readStudyFile(yaml);
  expect(expected.seeds).toEqual([1, 2, 3]);
  expect(await readStudyFile(write(`const study: object = ${body};\nexport default study;`, 'ts'))).toEqual(expected);
  expect(await readStudyFile(write(`export default ${body};`, 'mjs'))).toEqual(expected);
  expect(await readStudyFile(write(`module.exports = ${body};`, 'cjs'))).toEqual(expected);
});

test.each([
  ['repositories: []', /:1:15: repositories: expected at least one/],
  ['models: [linear]', /repositories/],
  ['repositories: [a]\nseeds:\n  - 1\n  - one', /:4:5: seeds\.1: .*Expected number/],
  [
    'repositories: [a]\ntraining:\n  learning_rat: 1',
    /:3:17: training\.learning_rat: there is no such member; did you mean learning_rate\?$/,
  ],
  ['repositories: [a]\nmodel: linear', /model: there is no such member; did you mean models\?$/],
  [
    'repositories: [a]\nmodels: [{ kind: chat, model: m, baseurl: x }]',
    /baseurl: there is no such member; did you mean base_url\?$/,
  ],
  ['repositories: [a]\nzzzzzz: 1', /zzzzzz: there is no such member$/],
  ['repositories: [a]\ncontext_lines: -1', /context_lines: expected a number of lines or all/],
  ['repositories: [a]\nstatistics: { significance: 1 }', /statistics\.significance: /],
  ['repositories: [a]\nmodels:\n  - linear\n  - kind: checkpoint\n    preset: bert', /:5:13: models\.1\.preset: /],
  [
    'repositories: [a]\nmodels: [gpt]',
    /:2:10: models\.0\.kind: expected linear, codebert, .*, or \{ kind: linear, checkpoint, scratch or chat/,
  ],
  ['repositories: [a]\nencodings: [diff-tags, diff-tag]', /encodings\.1: /],
  ['repositories: [a]\nsplit: random', /split\.rule: /],
  ['repositories: [a\n', /:2:1: not YAML: /],
  ['repositories: [a]\ntraining: { warm_up: 10 }', /training\.warm_up: /],
  ['repositories: [a]\nseeds: [1, 2, 1]', /seeds: expected no item twice/],
  ['repositories: [a]\nencodings: [diff-tags, diff-tags]', /encodings: expected no item twice/],
  [
    'repositories: [a]\ncounterfactuals: [reversed-tags, { name: reversed-tags }]',
    /counterfactuals: expected no item twice/,
  ],
  ['repositories: [a]\ntraining: { learning_rate: .inf }', /learning_rate: expected a finite number/],
  [
    'repositories: [a]\ncounterfactuals: [reversed-tags, { name: reversed-tags, encoding: diff-tags }]',
    /:2:18: counterfactuals: expected no item twice/,
  ],
  ['repositories: [a]\ntriage: { voters: [rules, rules] }', /triage\.voters: expected no item twice/],
  ['repositories: [a]\nmining: { paths: [src, src] }', /mining\.paths: expected no item twice/],
  ['repositories: [a, { source: a, project: b }]', /repositories: expected no item twice/],
  ['repositories: [a]\ntraining: { weight_decay: 1 }', /weight_decay: /],
  ['repositories: [a]\ntraining: { learning_rate: 1.0e+300 }', /learning_rate: expected at most 1000000/],
  ['repositories: [a]\nmodels: [{ kind: linear, l2: .inf }]', /models\.0\.l2: expected at most 1000000/],
  ['repositories: [a]\nmodels: [{ kind: linear, learning_rate: 1.0e+300 }]', /models\.0\.learning_rate: /],
  [
    `repositories: [a]\nx0: &x0 [a, a]\n${Array.from({ length: 9 }, (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`)}]`).join('\n')}`,
    /^[^\n]*study-\d+\.yaml: Excessive alias count/,
  ],
  ['repositories: [a]\nseeds: 5-1', /seeds: expected a list of seeds, or a range/],
  ['- 1', /Expected Object/],
])('%j is refused with its place', async (text, message) => {
  await expect(readStudyFile(write(text))).rejects.toMatchObject({ code: 'invalid-study', message });
});

test('a module may import defineStudy and the paper’s seeds where nothing is installed', async () => {
  const path = write(
    `import { defineStudy, paperSeeds } from '@redef/experiment';
export default defineStudy({ repositories: ['a'], models: ['linear'], seeds: paperSeeds.slice(0, 2) });`,
    'ts',
  );
  expect((await readStudyFile(path)).seeds).toEqual([12345, 12346]);
});

test('a module that throws, one that cannot be parsed, a file that is not there', async () => {
  await expect(readStudyFile(write("throw new Error('no')", 'ts'))).rejects.toMatchObject({ code: 'invalid-study' });
  await expect(readStudyFile(write('export default {', 'ts'))).rejects.toMatchObject({ code: 'invalid-study' });
  await expect(readStudyFile(join(root, 'none.yaml'))).rejects.toMatchObject({ code: 'file-missing' });
  await expect(readStudyFile(join(root, 'none.ts'))).rejects.toMatchObject({ code: 'file-missing' });
});

test('the linear baseline is added where it is not named, and known for one', async () => {
  const chat = { kind: 'chat', model: 'm', base_url: 'http://127.0.0.1:1/v1' } as const;
  const baselines = async (models: StudyFileInput['models']) => {
    const design = await studyDesign(checkStudy({ repositories: ['a'], models }), { base: root, cacheFolder: root });
    return design.models.map(({ name, baseline }) => [name, baseline ?? false]);
  };
  expect(await baselines([chat])).toEqual([
    ['m', false],
    ['linear', true],
  ]);
  expect(await baselines(['linear', chat])).toEqual([
    ['linear', false],
    ['m', false],
  ]);
});

async function designed(...models: NonNullable<StudyFileInput['models']>) {
  const design = await studyDesign(checkStudy({ repositories: ['a'], models }), { base: root, cacheFolder: root });
  return design.models;
}
const specsOf = async (...models: NonNullable<StudyFileInput['models']>) =>
  (await designed(...models)).map(({ budget, spec }) => spec(budget.tokenizer, 'diff-tags'));

test('what is said aloud and decides nothing else names the same cell', async () => {
  const linear = { kind: 'linear' } as const;
  const [plain, aloud, other] = await specsOf(
    linear,
    { ...linear, learning_rate: 0.5, l2: 1e-3, epochs: 20 },
    { ...linear, l2: 0.1, epochs: 3 },
  );
  expect(aloud).toEqual(plain);
  expect(other).toEqual({ engine: 'linear', options: { l2: 0.1 }, epochs: 3 });
  expect(createLinearEngine().options).toMatchObject({ learningRate: 0.5, l2: 1e-3 });
});

test('the linear baseline has a tokenizer with its preset, or neither', async () => {
  await expect(specsOf({ kind: 'linear', tokenizer: 'tokenizer' })).rejects.toThrow(
    'models: linear: a tokenizer needs its preset',
  );
  await expect(specsOf({ kind: 'linear', preset: 'codebert' })).rejects.toThrow(
    'models: linear: a preset needs its tokenizer',
  );
});

test('a config names a cell by what the network reads of it, and one that it cannot read is refused with the file', async () => {
  let unprintable = 0x100;
  const bytes = Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode((byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173) ? byte : unprintable++),
  );
  const ids = ['<s>', '<pad>', '</s>', '<unk>', ...bytes].map((token, id) => [token, id]);
  mkdirSync(join(root, 'tokenizer'));
  writeFileSync(join(root, 'tokenizer', 'vocab.json'), JSON.stringify(Object.fromEntries(ids)));
  writeFileSync(join(root, 'tokenizer', 'merges.txt'), '#version: 0.2\n');
  const sizes = { hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8 };
  const tiny = (config: object) => ({
    kind: 'scratch' as const,
    preset: 'roberta' as const,
    tokenizer: 'tokenizer',
    config: { model_type: 'roberta', max_position_embeddings: 66, ...sizes, ...config },
  });
  const [plain, aloud, other] = await specsOf(
    tiny({}),
    tiny({ hidden_dropout_prob: 0.1, classifier_dropout: null, _name_or_path: 'x', architectures: ['RobertaModel'] }),
    tiny({ hidden_dropout_prob: 0.2 }),
  );
  expect(aloud).toEqual(plain);
  expect(other).not.toEqual(plain);
  await expect(specsOf(tiny({ num_attention_heads: 3 }))).rejects.toThrow('models: scratch: hidden_size 8');

  const [scratch] = await designed(tiny({}));
  expect(scratch!.budget.maxTokens).toBe(64); // the preset's 512 would be more than its positions
  await expect(designed({ ...tiny({}), max_tokens: 65 })).rejects.toThrow(
    'models: scratch: max_tokens is 65, the model reads 64',
  );
});

test('a study at hand is checked the same way', () => {
  expect(() => checkStudy({ repositories: [{ source: 1 }] })).toThrow(/study: repositories\.0\.source: /);
  expect(checkStudy({ repositories: ['a'], models: ['linear'] }).models).toEqual([{ kind: 'linear' }]);
});
