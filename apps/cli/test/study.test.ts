import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StudyResults } from '@redef/experiment';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redef } from './harness.js';

// One quick study over the generated history, and everything that must hold of it.
let root: string;
let first: Awaited<ReturnType<typeof redef>>;
const study = ['study', '--out', 'study', '--seeds', '1-3'];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-cli-'));
  first = await redef(root, study);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Digest of every file but the cache, by path. */
function contents(folder: string): Record<string, string> {
  const walk = (path: string): string[] =>
    statSync(path).isDirectory()
      ? readdirSync(path)
          .sort()
          .flatMap((name) => walk(join(path, name)))
      : [path];
  return Object.fromEntries(
    walk(folder)
      .filter((path) => !/\/(cache|sample-history)\//.test(path))
      .map((path) => [relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

const rows = (...path: string[]): Record<string, unknown>[] =>
  readFileSync(join(root, ...path), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('it prints its table, warns of rule-based votes and says where the report lies', () => {
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/linear\s+diff-tags\s+3 /);
  expect(first.stdout).toMatch(/all defective/);
  expect(first.stdout).toMatch(/not by a language model/);
  const [, report] = /^report: (.+)$/m.exec(first.stdout)!;
  expect(readFileSync(report!, 'utf8')).toContain('not by a language model');
});

test('every vote says that no language model was asked, and so does every label', () => {
  const votes = rows('study', 'triaged', 'votes.jsonl');
  expect(votes.length).toBeGreaterThan(300);
  expect(votes.every(({ rule_based, voter }) => rule_based === true && voter === 'rules/1')).toBe(true);
  expect(rows('study', 'triaged', 'labels.jsonl').every(({ rule_based }) => rule_based === true)).toBe(true);
});

test('both classes of both projects reach every split, and the three sets share no change', () => {
  const splits = new Map(rows('study', 'split', 'splits.jsonl').map(({ id, split }) => [id, split]));
  const labels = new Map(rows('study', 'triaged', 'labels.jsonl').map(({ id, label }) => [id, label]));
  const seen = new Set<string>();
  for (const project of ['quill', 'hamper']) {
    for (const { id } of rows('study', 'mined', project, 'changes.jsonl')) {
      if (splits.has(id)) seen.add(`${project} ${labels.get(id)} ${splits.get(id)}`);
    }
  }
  expect(seen.size).toBe(12);
});

test('the chain finds what was planted: contradictions and duplicates are removed with their twins named', () => {
  const rejects = rows('study', 'deduped', 'rejects.jsonl');
  expect(new Set(rejects.map(({ reason }) => reason))).toEqual(
    new Set(['contradictory-label', 'cross-set-duplicate', 'in-set-duplicate']),
  );
  expect(rejects.every(({ detail }) => /^twin [0-9a-f]{40}$/.test(String(detail)))).toBe(true);
});

const plan = (): { cells: { key: string; encoding: string; counterfactual?: string; seed: number; uses?: string }[] } =>
  JSON.parse(readFileSync(join(root, 'study', 'study.json'), 'utf8'));

test('counterfactuals are retrained only where the paper retrains, else put to the model of their encoding and seed', () => {
  const { cells } = plan();
  const trained = cells.filter(({ key }) => existsSync(join(root, 'study', 'store', 'cells', key, 'model')));
  expect([...new Set(trained.map(({ encoding, counterfactual }) => counterfactual ?? encoding))]).toEqual([
    'after-only',
    'after-markers',
    'before-after',
    'diff-tags',
    'added-deleted',
    'spurious-markers',
    'swapped-blocks',
  ]);
  for (const { uses, encoding, seed } of cells.filter((cell) => cell.uses !== undefined)) {
    expect(cells.find(({ key }) => key === uses)).toMatchObject({ encoding, seed });
  }
});

test('a second run does nothing and leaves every byte as it was', async () => {
  const before = contents(join(root, 'study'));
  const again = await redef(root, study);
  expect(again.code).toBe(0);
  expect(again.stdout).toBe(first.stdout);
  expect(again.stderr.match(/up to date/g)!.length).toBe(
    first.stderr.split('\n').filter((line) => /^\w+: /.test(line)).length,
  );
  expect(contents(join(root, 'study'))).toEqual(before);
});

test('another option redoes only what it changes', async () => {
  cpSync(join(root, 'study'), join(root, 'other'), { recursive: true });
  const { code, stderr } = await redef(root, ['study', '--out', 'other', '--seeds', '1-3', '--max-tokens', '64']);
  expect(code).toBe(0);
  const stages = stderr.split('\n').filter((line) => /^\w+: \d/.test(line));
  expect(
    stages.filter((line) => /^(mine|triage|split|dedup)/.test(line)).every((line) => line.includes('up to date')),
  ).toBe(true);
  expect(stages.filter((line) => /^(encode|report)/.test(line)).some((line) => line.includes('up to date'))).toBe(
    false,
  );
});

test('the same study in another folder gives the same bytes', async () => {
  await redef(root, ['study', '--out', 'twin', '--seeds', '1-3']);
  expect(contents(join(root, 'twin'))).toEqual(contents(join(root, 'study')));
});

test('a repository that the study no longer has leaves nothing in it, nor does a project by its former name', async () => {
  const [hamper, quill] = ['hamper', 'quill'].map((name) => `study/sample-history/${name}`);
  const over = (out: string, ...sources: string[]) =>
    redef(root, [
      ...['study', '--out', out, '--seeds', '1', '--encodings', 'diff-tags'],
      ...sources.flatMap((source) => ['--repo', source]),
    ]);
  await over('fewer', `hamper=${hamper}`, `quill=${quill}`);
  const both = rows('fewer', 'split', 'splits.jsonl').length;
  expect((await over('fewer', `hamper=${hamper}`)).code).toBe(0);
  await over('alone', `hamper=${hamper}`);
  expect(rows('alone', 'split', 'splits.jsonl').length).toBeLessThan(both);
  const used = (folder: string) =>
    Object.entries(contents(join(root, folder))).filter(([path]) => !/^(mined\/quill|store)\//.test(path));
  expect(used('fewer')).toEqual(used('alone'));

  expect((await over('fewer', `laundry=${hamper}`)).code).toBe(0);
  await over('renamed', `laundry=${hamper}`);
  expect(rows('fewer', 'split', 'splits.jsonl')).toEqual(rows('renamed', 'split', 'splits.jsonl'));
});

test('mine --all-rejects tells why each other commit is no row', async () => {
  const { code } = await redef(root, ['mine', 'study/sample-history/quill', '--all-rejects', '--out', 'told']);
  expect(code).toBe(0);
  const count = (name: string): number => rows(name, 'quill', 'rejects.jsonl').length;
  const commits = rows('told', 'quill', 'rejects.jsonl').filter(({ stage }) => stage === 'commit');
  expect(commits.map(({ reason }) => reason)).toContain('root');
  expect(count('told') - count(join('study', 'mined'))).toBe(commits.length);
});

test('step by step over files gives what the study gives', async () => {
  const at = (name: string): string => join('steps', name);
  const step = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await redef(root, args);
    expect([code, stderr]).toEqual([0, '']);
  };
  const labelled = ['--mined', at('mined'), '--labels', at('triaged')];
  await step('mine', 'study/sample-history/quill', 'study/sample-history/hamper', '--out', at('mined'));
  await step('triage', '--mined', at('mined'), '--out', at('triaged'));
  await step('split', ...labelled, '--out', at('split'));
  await step('dedup', ...labelled, '--split', at('split'), '--out', at('deduped'));
  await step(
    'encode',
    '--mined',
    at('mined'),
    '--split',
    at('deduped'),
    '--encoding',
    'diff-tags',
    '--out',
    at('encoded'),
  );
  const examples = ['--encoded', at('encoded'), '--labels', at('triaged'), '--split', at('deduped'), '--seed', '2'];
  await step('train', ...examples, '--out', at('model'));
  await step('predict', ...examples, '--model', at('model'), '--out', at('predictions'));
  const same = (ours: string, studies: string): void =>
    expect(readFileSync(join(root, at(ours)), 'utf8')).toBe(readFileSync(join(root, 'study', studies), 'utf8'));
  same('mined/quill/changes.jsonl', 'mined/quill/changes.jsonl');
  same('deduped/splits.jsonl', 'deduped/splits.jsonl');
  same('encoded/encoded.jsonl', 'encoded/lexical-1-65536-512/diff-tags/encoded.jsonl');
  const { key } = plan().cells.find(
    (cell) => cell.encoding === 'diff-tags' && !cell.counterfactual && cell.seed === 2,
  )!;
  same('predictions/predictions.jsonl', `store/cells/${key}/predictions.jsonl`);
});

test('--json gives the results, and the report command writes them again', async () => {
  const { stdout } = await redef(root, [...study, '--json']);
  const results: StudyResults = JSON.parse(stdout);
  expect(results.cells.length).toBe(27);
  const before = contents(join(root, 'study', 'report'));
  rmSync(join(root, 'study', 'report'), { recursive: true });
  expect((await redef(root, ['report', 'study'])).code).toBe(0);
  expect(contents(join(root, 'study', 'report'))).toEqual(before);
});

test('study import makes the report of results that others published', async () => {
  writeFileSync(
    join(root, 'published.csv'),
    'model,encoding,seed,metric,value\nm,a,1,F1,0.5\nm,a,2,F1,0.6\nm,b,1,F1,0.3\nm,b,2,F1,0.45\n',
  );
  expect((await redef(root, ['study', 'import', 'published.csv', '--out', 'imported'])).code).toBe(0);
  expect(readFileSync(join(root, 'imported', 'report.md'), 'utf8')).toContain('| m | a | 2 | 0.5500 ± 0.0707 |');
  const bad = await redef(root, ['study', 'import', 'nothing.csv', '--out', 'imported']);
  expect([bad.code, bad.stderr]).toEqual([3, expect.stringMatching(/nothing\.csv: no such file/)]);
});

test('a study stopped at any point goes on and ends with the same bytes', async () => {
  const binary = fileURLToPath(new URL('../dist/redef.js', import.meta.url));
  if (!existsSync(binary)) throw new Error('build the app first: npm run build');
  const args = [binary, 'study', '--out', 'stopped', '--seeds', '1-3'];
  for (const afterMs of [300, 700, 1200, 2000, 3500]) {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => child.kill(afterMs % 2 === 0 && afterMs > 1000 ? 'SIGKILL' : 'SIGINT'), afterMs);
    const code = await new Promise((resolve) => child.on('exit', resolve));
    clearTimeout(timer);
    if (code === 3) expect(stderr).toMatch(/stopped before it was done\n.*goes on from what was finished/);
    else expect([0, null, 130]).toContain(code);
    expect(stderr).not.toMatch(/^\s+at /m);
  }
  expect((await redef(root, ['study', '--out', 'stopped', '--seeds', '1-3'])).code).toBe(0);
  expect(contents(join(root, 'stopped'))).toEqual(contents(join(root, 'study')));
});
