import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linearModel, runStudy, type StudyPlan, type StudyResults, type StudyStatus } from '@redef/experiment';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSampleHistory } from '../src/sample-history/index.js';
import { redef } from './harness.js';

let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-study-file-'));
  await writeSampleHistory(join(root, 'history'));
  writeFileSync(
    join(root, 'data.yaml'),
    `${repositories}models: [linear]\nencodings: [diff-tags]\ncounterfactuals: []\nseeds: [1]\n`,
  );
  await redef(root, ['study', 'data.yaml', '--out', 'data']);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const repositories = 'repositories: [quill=history/quill, hamper=history/hamper]\n';
/** Writes a study file, and gives its study the data that was mined once. */
function write(name: string, text: string): void {
  writeFileSync(join(root, `${name}.yaml`), `${repositories}${text}`);
  for (const folder of ['mined', 'triaged']) {
    cpSync(join(root, 'data', folder), join(root, name, folder), { recursive: true });
  }
}
const plan = (study: string): StudyPlan => JSON.parse(readFileSync(join(root, study, 'study.json'), 'utf8'));
const digests = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'));

test('a study file is run; a flag that it would contradict is refused, as is a wrong member', async () => {
  write('small', 'models: [linear]\nencodings: [diff-tags, added-deleted]\ncounterfactuals: []\nseeds: 1-2\n');
  const { code, stdout } = await redef(root, ['study', 'small.yaml', '--out', 'small', '--json']);
  expect(code).toBe(0);
  const results: StudyResults = JSON.parse(stdout);
  expect(results.cells.map(({ encoding, seed }) => `${encoding} ${seed}`)).toEqual([
    'diff-tags 1',
    'diff-tags 2',
    'added-deleted 1',
    'added-deleted 2',
  ]);
  const both = await redef(root, ['study', 'small.yaml', '--out', 'small', '--seeds', '3']);
  expect([both.code, both.stderr]).toEqual([
    2,
    'redef: --seeds beside a study file\n  Say it in small.yaml, or leave the file out.\n',
  ]);
  write('wrong', 'model: linear\n');
  const wrong = await redef(root, ['study', 'wrong.yaml', '--out', 'small']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/wrong\.yaml:\d+:\d+: model: there is no such member/),
  ]);
});

test.each([
  ['models: [{ kind: linear, encodings: [after-only] }]\nencodings: [diff-tags]\n', /to be seen by the model linear$/m],
  ['models: [linear, { kind: linear, name: linear }]\n', /two models are both called linear/],
  ['models: [linear, { kind: linear, name: other, epochs: 20 }]\n', /under two names there stands the model other$/m],
  [
    'models: [linear]\nsplit: { rule: cross-project, test_projects: [redis] }\n',
    /the split tests on redis, which is none/,
  ],
  [
    'models: [linear]\nencodings: [after-only]\ncounterfactuals: [reversed-tags]\n',
    /reversed-tags distorts the encoding/,
  ],
])('%j is refused before anything is mined', async (text, message) => {
  writeFileSync(join(root, 'refused.yaml'), repositories + text);
  const { code, stderr } = await redef(root, ['study', 'refused.yaml', '--out', 'refused']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(existsSync(join(root, 'refused', 'mined'))).toBe(false);
});

test('a baseline that a study adds by itself is in its tables and no level of its analysis of variance', async () => {
  const models = ['A', 'B'].map((name, i) => ({ ...linearModel(undefined, i + 1), name }));
  const { results } = await runStudy({
    out: join(root, 'levels'),
    repositories: ['quill', 'hamper'].map((project) => ({ project, path: join(root, 'history', project) })),
    models: [...models, { ...linearModel(), baseline: true }],
    encodings: ['after-only', 'diff-tags'],
    counterfactuals: [],
    seeds: [1, 2, 3, 4],
  });
  expect(new Set(results.conditions.map(({ model }) => model))).toEqual(new Set(['A', 'B', 'linear']));
  expect(results.statistics.anova!.factors[0].levels).toEqual(['A', 'B']);
  expect(results.statistics.anovaLeftOut).toEqual([
    { model: 'linear', reason: 'a baseline that the study does not name' },
  ]);
});

test('two studies with one store run a common cell once', async () => {
  write('one', 'models: [linear]\nencodings: [diff-tags]\ncounterfactuals: []\nseeds: [1, 2]\nstore: shared\n');
  write(
    'two',
    'models: [linear]\nencodings: [diff-tags]\ncounterfactuals: [reversed-tags]\nseeds: [2, 3]\nstore: shared\n',
  );
  await redef(root, ['study', 'one.yaml', '--out', 'one']);
  const cells = join(root, 'shared', 'cells');
  const before = digests(cells);
  expect(readdirSync(cells).length).toBe(2);
  const two = await redef(root, ['study', 'two.yaml', '--out', 'two']);
  expect([two.code, two.stderr]).toEqual([0, expect.not.stringMatching('failed')]);
  expect(readdirSync(cells).length).toBe(5); // seed 2 of diff-tags stands in both
  expect(digests(cells)).toEqual(expect.arrayContaining(before));
  expect(readFileSync(join(root, 'two', 'report', 'report.html'), 'utf8')).toContain(
    `href="../../shared/cells/${plan('two').cells[0]!.key}/predictions.jsonl"`,
  );
});

test('a model that was deleted or damaged is trained again where a counterfactual is to be shown to it', async () => {
  const text = 'models: [linear]\nencodings: [diff-tags]\nseeds: [1, 2]\n';
  write('lean', `${text}counterfactuals: []\n`);
  await redef(root, ['study', 'lean.yaml', '--out', 'lean']);
  const [first, second] = plan('lean').cells.map(({ key }) => join(root, 'lean', 'store', 'cells', key));
  const before = [first!, second!].flatMap(digests);
  rmSync(join(first!, 'model'), { recursive: true });
  const weights = join(second!, 'model', 'model.json');
  const damaged = readFileSync(weights, 'utf8').replace(/[1-8](?=\d*[,\]])/, '9');
  writeFileSync(weights, damaged);
  expect((await redef(root, ['study', 'lean.yaml', '--out', 'lean'])).code).toBe(0);
  expect(existsSync(join(first!, 'model'))).toBe(false); // nothing needs it
  write('lean', `${text}counterfactuals: [reversed-tags]\n`);
  const { code, stderr } = await redef(root, ['study', 'lean.yaml', '--out', 'lean']);
  expect([code, stderr]).toEqual([0, expect.not.stringMatching('failed')]);
  expect([first!, second!].flatMap(digests)).toEqual(before);
});

test('another number of context lines is another cell where context is shown; prune takes only what no study asks for', async () => {
  const text = (lines: string): string =>
    `models: [linear]\nencodings: [after-only, diff-tags]\nseeds: [1]\nstore: common\ncontext_lines: ${lines}\n`;
  for (const [name, lines] of [
    ['three', '3'],
    ['none', '0'],
    ['every', 'all'],
  ] as const) {
    write(name, text(lines));
    expect((await redef(root, ['study', `${name}.yaml`, '--out', name])).code).toBe(0);
  }
  const keys = (study: string): Record<string, string> =>
    Object.fromEntries(
      plan(study).cells.map(({ encoding, counterfactual = '', key }) => [encoding + counterfactual, key]),
    );
  const [three, none, every] = [keys('three'), keys('none'), keys('every')];
  expect([none['after-only'], every['after-only']]).toEqual([three['after-only'], three['after-only']]);
  for (const shown of ['diff-tags', 'diff-tagsreversed-tags']) {
    expect(new Set([three[shown], none[shown], every[shown]]).size).toBe(3);
  }
  const config = JSON.parse(
    readFileSync(join(root, 'every', 'encoded', 'lexical-1-65536-512', 'diff-tags', 'manifest.json'), 'utf8'),
  ).config;
  expect(config).toMatchObject({ encoding: 'diff-tags', context_lines: 'all' });

  const cells = join(root, 'common', 'cells');
  expect(readdirSync(cells).length).toBe(7);
  const listed = await redef(root, ['study', 'prune', 'three', 'every']);
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^[0-9a-f]{64} {2}linear, seed 1, .+ MB\n[0-9a-f]{64} .+\n2 cells, .+ MB: add --remove to take them away\n$/,
    ),
  ]);
  expect(readdirSync(cells).length).toBe(7);
  const gone = await redef(root, ['study', 'prune', 'three', 'every', '--remove', '--json']);
  expect(JSON.parse(gone.stdout).map(({ key }: { key: string }) => key)).toEqual(
    [none['diff-tags'], none['diff-tagsreversed-tags']].sort(),
  );
  expect(readdirSync(cells).sort()).toEqual([...new Set([...Object.values(three), ...Object.values(every)])].sort());
  const foreign = await redef(root, ['study', 'prune', 'three', 'data']);
  expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringMatching(/expected studies with one store/)]);
});

test('a report that another code wrote is written again, and then is up to date', async () => {
  write('code', 'models: [linear]\nencodings: [diff-tags]\nseeds: [1]\n');
  await redef(root, ['study', 'code.yaml', '--out', 'code']);
  const at = (name: string): string => join(root, 'code', 'report', name);
  const before = readFileSync(at('report.html'), 'utf8');
  const manifest = JSON.parse(readFileSync(at('manifest.json'), 'utf8'));
  const other = before.replace('<h1>', '<h1 class="older">');
  writeFileSync(at('report.html'), other);
  manifest.outputs['report.html'] = createHash('sha256').update(other).digest('hex');
  manifest.inputs.files = '0'.repeat(64);
  writeFileSync(at('manifest.json'), JSON.stringify(manifest));
  expect((await redef(root, ['report', 'code'])).stdout).not.toContain('up to date');
  expect(readFileSync(at('report.html'), 'utf8')).toBe(before);
  expect((await redef(root, ['report', 'code'])).stdout).toContain('up to date');
});

test('folders of a newer version are refused and left as they are', async () => {
  write('newer', 'models: [linear]\nencodings: [diff-tags]\nseeds: [1]\n');
  await redef(root, ['study', 'newer.yaml', '--out', 'newer']);
  const cell = join(root, 'newer', 'store', 'cells', plan('newer').cells[0]!.key);
  writeFileSync(join(cell, 'manifest.json'), '{"schema": "redef.manifest/2"}');
  const again = await redef(root, ['study', 'newer.yaml', '--out', 'newer']);
  expect([again.code, again.stderr]).toEqual([
    3,
    expect.stringMatching(/redef\.manifest\/2, which this version cannot read/),
  ]);
  expect(readFileSync(join(cell, 'manifest.json'), 'utf8')).toContain('redef.manifest/2');
  writeFileSync(join(root, 'newer', 'study.json'), '{"schema": "redef.study-plan/3"}');
  const report = await redef(root, ['report', 'newer']);
  expect([report.code, report.stderr]).toEqual([3, expect.stringMatching(/redef\.study-plan\/3, which this version/)]);
});

test('leaving each project out in turn tests on every project, and averages over them', async () => {
  write('lopo', 'models: [linear]\nencodings: [diff-tags]\nseeds: [1, 2]\nsplit: leave-one-project-out\n');
  const { code, stdout } = await redef(root, ['study', 'lopo.yaml', '--out', 'lopo', '--json']);
  expect(code).toBe(0);
  const { cells, conditions, data, statistics }: StudyResults = JSON.parse(stdout);
  expect(cells.map(({ encoding, counterfactual, fold, seed }) => [counterfactual ?? encoding, fold, seed])).toEqual(
    ['diff-tags', 'reversed-tags'].flatMap((shown) =>
      ['quill', 'hamper'].flatMap((fold) => [1, 2].map((seed) => [shown, fold, seed])),
    ),
  );
  const f1 = (fold: string): number => cells.find((cell) => cell.fold === fold && cell.seed === 1)!.f1;
  expect(conditions[0]!.seeds).toEqual([1, 2]);
  const mean = (f1('quill') + f1('hamper')) / 2;
  const other = cells.filter(({ seed, counterfactual }) => seed === 2 && !counterfactual).map((cell) => cell.f1);
  expect(conditions[0]!.mean.f1).toBeCloseTo((mean + (other[0]! + other[1]!) / 2) / 2, 12);
  expect(statistics.counterfactuals[0]!.n).toBe(2);
  const projectOf = (project: string): Set<string> =>
    new Set(
      readFileSync(join(root, 'lopo', 'mined', project, 'changes.jsonl'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).id),
    );
  for (const project of ['quill', 'hamper']) {
    const own = projectOf(project);
    const rows = readFileSync(join(root, 'lopo', 'folds', project, 'split', 'splits.jsonl'), 'utf8').split('\n');
    for (const { id, split } of rows.filter(Boolean).map((line) => JSON.parse(line))) {
      expect(split === 'test').toBe(own.has(id));
    }
  }
  expect(data!.splits.map(({ fold, dedup }) => [fold, Object.keys(dedup.details.audit as object)])).toEqual(
    ['quill', 'hamper'].map((fold) => [
      fold,
      ['cross_set_duplicates', 'contradictions', 'commits_shared', 'functions_shared', 'too_early'],
    ]),
  );
});

test('status tells what is done, failed and left; a cell alone can be run; the report names what is missing', async () => {
  write('status', 'models: [linear]\nencodings: [diff-tags]\nseeds: [1, 2]\n');
  await redef(root, ['study', 'status.yaml', '--out', 'status']);
  const [first, second, reversed] = plan('status').cells.map(({ key }) => key);
  const status = async (): Promise<StudyStatus> =>
    JSON.parse((await redef(root, ['study', 'status', 'status', '--json'])).stdout);
  expect(await status()).toMatchObject({ total: 4, done: 4, failed: 0, running: 0, secondsLeft: 0 });

  for (const key of [first!, reversed!]) rmSync(join(root, 'status', 'store', 'cells', key), { recursive: true });
  expect(await status()).toMatchObject({ total: 4, done: 2, failed: 0, secondsLeft: expect.any(Number) });
  const early = await redef(root, ['study', 'cell', 'status', reversed!]);
  expect([early.code, early.stderr]).toEqual([3, expect.stringMatching(/has no result\n {2}Run that cell first/)]);
  expect(await status()).toMatchObject({ done: 2, failed: 1 });
  expect((await redef(root, ['study', 'status', 'status'])).stdout).toMatch(
    /^2 of 4 cells done, 1 failed, 0 running, .+ left\n[\s\S]*failed: linear, diff-tags\+reversed-tags, seed 1: cell-not-ready/,
  );

  expect((await redef(root, ['report', 'status'])).code).toBe(0);
  const report = readFileSync(join(root, 'status', 'report', 'report.md'), 'utf8');
  expect(report).toContain('2 planned runs have no result (1 failed, 1 not run yet)');
  expect(report).toContain('| linear, diff-tags, seed 1 | not run yet |');
  expect(report).toMatch(/\| linear, diff-tags\+reversed-tags, seed 1 \| failed, cell-not-ready: /);

  const done = await redef(root, ['study', 'cell', 'status', first!.slice(0, 12)]);
  expect([done.code, done.stdout]).toEqual([0, `${first}: done\n`]);
  const again = await redef(root, ['study', 'cell', 'status', first!, '--json']);
  expect(JSON.parse(again.stdout)).toEqual({ key: first, status: 'done', reused: true });
  expect((await redef(root, ['study', 'cell', 'status', 'zzz'])).code).toBe(2);
  expect((await redef(root, ['study', 'cell', 'status', reversed!])).code).toBe(0);
  expect(await status()).toMatchObject({ done: 4, failed: 0 });
  expect(second).not.toBe(first);
});

test('a study that was never planned has no status', async () => {
  const { code, stderr } = await redef(root, ['study', 'status', 'nowhere']);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/study\.json: no such file/)]);
});
