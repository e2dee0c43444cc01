import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodeChange, Encoded } from '@redef/core';
import {
  counterfactualNames,
  createCounterfactual,
  createEncoding,
  createLexicalTokenizer,
  encodingNames,
} from '@redef/encoders';
import { loadSyntaxParser, treePaths } from '@redef/encoders/tree';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliRun, redef } from '../../test/harness.js';

const range = { start: 1, end: 5 };
const changes = Array.from({ length: 12 }, (_, i): CodeChange => {
  const body = (line: string): string => `int f${i}(int a)\n{\n  int b = a;\n${line}\n  return b;\n}`;
  return {
    schema: 'redef.change/1',
    id: i.toString(16).padStart(16, '0'),
    project: 'p',
    commit: 'a'.repeat(40),
    parent: 'b'.repeat(40),
    path: 'f.c',
    function_name: `f${i}`,
    function_signature: `int f${i}(int a)`,
    language: 'c',
    committed_at: '2020-01-01T00:00:00Z',
    authored_at: '2020-01-01T00:00:00Z',
    message: 'change',
    function_before: body(`  b = old${i}(a);`),
    function_after: body(`  b = fresh${i}(a, b);`),
    lines_before: range,
    lines_after: range,
    hunks: [],
    extractor: 'scanner/1',
    confidence: 'high',
  };
});
const splitOf = (i: number): string => (i < 6 ? 'train' : 'test');

let folder: string;
const writeTables = (rows: readonly CodeChange[], split = splitOf): void => {
  const jsonl = (table: readonly unknown[]) => table.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(join(folder, 'mined', 'changes.jsonl'), jsonl(rows));
  const splits = changes.map(({ id }, i) => ({ schema: 'redef.split/1', id, split: split(i), rule: 'by hand' }));
  writeFileSync(join(folder, 'split', 'splits.jsonl'), jsonl(splits));
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-encode-'));
  for (const name of ['mined', 'split']) mkdirSync(join(folder, name));
  writeTables(changes);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const encode = (...args: string[]): Promise<CliRun> =>
  redef(folder, ['encode', '--mined', 'mined', '--split', 'split', '--out', 'out', ...args]);
const rows = (): Encoded[] =>
  readFileSync(join(folder, 'out', 'encoded.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('diff-tags where nothing is said, else the encoding that is named', async () => {
  expect((await encode()).code).toBe(0);
  expect(rows().map(({ encoding }) => encoding)).toEqual(changes.map(() => 'diff-tags'));
  for (const name of encodingNames) {
    expect((await encode('--encoding', name)).code).toBe(0);
    const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 512 };
    const expected = changes.map((change) => [...createEncoding(name).encode(change, budget).inputIds]);
    expect(rows().map(({ input_ids }) => input_ids)).toEqual(expected);
  }
});

test.each(counterfactualNames)('%s distorts the test split only, or both', async (name) => {
  const { code, stderr } = await encode('--counterfactual', name);
  expect([code, stderr]).toEqual([0, '']);
  const distorted = rows();
  expect(distorted.every(({ counterfactual }) => counterfactual === name)).toBe(true);
  await encode('--encoding', distorted[0]!.encoding);
  const differs = rows().map(({ input_ids }, i) => input_ids.join() !== distorted[i]!.input_ids.join());
  const both = name === 'spurious-markers' || name === 'swapped-blocks';
  expect([differs.slice(0, 6).includes(true), differs.slice(6).includes(true)]).toEqual([
    both,
    name !== 'shuffled-lines', // one line a side: nothing to shuffle
  ]);
});

test('the size of the context counts, and another one makes the folder anew', async () => {
  const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 512 };
  for (const [flag, contextLines] of [
    ['0', 0],
    ['1', 1],
    ['all', Number.POSITIVE_INFINITY],
  ] as const) {
    expect((await encode('--context-lines', flag)).code).toBe(0);
    const expected = changes.map((change) => [
      ...createEncoding('diff-tags', { contextLines }).encode(change, budget).inputIds,
    ]);
    expect(rows().map(({ input_ids }) => input_ids)).toEqual(expected);
  }
  expect((await encode('--context-lines', '0', '--counterfactual', 'reversed-tags')).code).toBe(0);
  const { inputIds } = createCounterfactual('reversed-tags', { seed: 12345, contextLines: 0 }).encode(
    changes[11]!,
    budget,
    'test',
  );
  expect(rows()[11]!.input_ids).toEqual([...inputIds]);
});

test('tree-paths shows syntax nodes, under a counterfactual too', async () => {
  const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 512 };
  const encoding = treePaths({ parser: await loadSyntaxParser(), cppParser: await loadSyntaxParser('cpp') });
  const loop = (list: string): string => `void A::f()\n{\n  for (auto &x : ${list})\n    g(x);\n}`;
  const inCpp = { language: 'cpp', function_before: loop('v'), function_after: loop('w') } as const;
  const both = changes.map((change, i) => (i === 1 ? { ...change, ...inCpp } : change));
  writeTables(both);
  expect((await encode('--encoding', 'tree-paths')).code).toBe(0);
  expect(rows().map(({ input_ids }) => input_ids)).toEqual(
    both.map((change) => [...encoding.encode(change, budget).inputIds]),
  );
  expect(rows()[0]).toMatchObject({ encoding: 'tree-paths', changed_lines: 3 });
  expect((await encode('--encoding', 'tree-paths', '--counterfactual', 'null-edit')).code).toBe(0);
  expect(rows().map(({ encoding, tokens }) => [encoding, tokens > 0])).toEqual(
    changes.map((_, i) => ['tree-paths', i < 6]),
  );
});

test('an encoding given with a counterfactual counts', async () => {
  for (const name of encodingNames) {
    const { code, stderr } = await encode('--counterfactual', 'inverse-change', '--encoding', name);
    expect([code, stderr]).toEqual([0, '']);
    const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 512 };
    const shown = changes.map((change, i) => {
      const { function_before, function_after, ...rest } = change;
      const inverse = { ...rest, function_before: function_after, function_after: function_before };
      return [...createEncoding(name).encode(splitOf(i) === 'test' ? inverse : change, budget).inputIds];
    });
    expect(rows().map(({ input_ids }) => input_ids)).toEqual(shown);
    expect(rows()[0]!.encoding).toBe(name);
  }
});

test('wrong use: exit code 2, what goes together, and nothing written', async () => {
  const wrong = async (args: readonly string[], message: RegExp): Promise<void> => {
    const { code, stderr, stdout } = await encode(...args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(() => rows()).toThrow(/ENOENT/);
  };
  await wrong(['--counterfactual', 'reversed-tags', '--encoding', 'after-only'], /perturbs the encoding diff-tags/);
  await wrong(['--counterfactual', 'spurious-markers', '--encoding', 'diff-tags'], /perturbs the encoding after-mark/);
  await wrong(['--counterfactual', 'sideways'], /Allowed choices are/);
  await wrong(['--encoding', 'sideways'], /Allowed choices are/);
  await wrong(['--context-lines', 'some'], /a number of lines, or "all"/);
  await wrong(['--context-lines', '-1'], /a number of lines, or "all"/);
  await wrong(['--context-lines', '1', '--encoding', 'after-only'], /after-only shows no context/);
  await wrong(['--context-lines', '1', '--counterfactual', 'swapped-blocks'], /added-deleted shows no context/);
  await wrong(['--max-tokens', '1'], /room for the 2 special tokens/);
  writeTables(changes, () => 'train');
  await wrong(['--counterfactual', 'grafted-edit'], /at least two donors/);
});

test('grafted edits come from the test split and do not depend on the order of the rows', async () => {
  expect((await encode('--counterfactual', 'grafted-edit')).code).toBe(0);
  const grafted = new Map(rows().map(({ id, input_ids }) => [id, input_ids]));
  const budget = { tokenizer: createLexicalTokenizer(), maxTokens: 512 };
  for (const [i, change] of changes.entries()) {
    if (splitOf(i) !== 'test') continue;
    const candidates = changes
      .filter((donor, j) => splitOf(j) === 'test' && donor.id !== change.id)
      .map((donor, _, { length }) => {
        const line = donor.function_after.split('\n')[3]!;
        const lines = change.function_before.split('\n').with(3, line).join('\n');
        expect(length).toBe(5);
        return createEncoding('diff-tags')
          .encode({ ...change, function_after: lines }, budget)
          .inputIds.join();
      });
    expect(candidates).toContain(grafted.get(change.id)!.join());
  }
  writeTables(changes.toReversed());
  expect((await encode('--counterfactual', 'grafted-edit')).code).toBe(0);
  expect(new Map(rows().map(({ id, input_ids }) => [id, input_ids]))).toEqual(grafted);
  await encode('--counterfactual', 'grafted-edit', '--seed', '2');
  expect(new Map(rows().map(({ id, input_ids }) => [id, input_ids]))).not.toEqual(grafted);
});

test('marks in the source and edits too long for word marks are told', async () => {
  const words = 'a '.repeat(10_001);
  writeTables(changes.map((change) => ({ ...change, function_before: `<W>${words}`, function_after: words })));
  const { stdout } = await encode('--encoding', 'unified-words', '--stats');
  expect(rows().map(({ escaped_marks, unmarked_edits }) => [escaped_marks, unmarked_edits])).toEqual(
    changes.map(() => [1, 1]),
  );
  expect(stdout).toMatch(/changes with escaped marks +12 +12 +100\.0%/);
  expect(stdout).toMatch(/edits too long for word marks +12/);
});

test('--stats tells what was cut and how long the inputs are, from an up-to-date folder too', async () => {
  const args = ['--encoding', 'diff-tags', '--max-tokens', '24', '--stats'];
  const { stdout } = await encode(...args, '--json');
  const { counts, stats } = JSON.parse(stdout);
  const lost = rows().filter((row) => row.tokens_lost > 0).length;
  expect(counts.kept).toBe(12);
  expect(stats).toMatchObject({ changes: 12, truncated: lost, changedLines: 24, changedLinesShown: 24 });
  expect(lost).toBe(12);
  expect(stats.tokensLost).toBe(rows().reduce((sum, row) => sum + row.tokens_lost, 0));
  expect(stats.lengths.max).toBe(Math.max(...rows().map(({ tokens }) => tokens)));
  expect(rows().every(({ input_ids }) => input_ids.length === 24)).toBe(true);
  expect(rows().every(({ escaped_marks }) => escaped_marks === 0)).toBe(true);
  expect(stats.withEscapedMarks).toBe(0);
  const text = await encode(...args);
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/changes with escaped marks +0 +12 +0\.0%/);
  expect(text.stdout).toMatch(/changes cut +12 +12 +100\.0%/);
  expect(text.stdout).toMatch(/^ +64 +100\.0%$/m);
});

test('a split that names changes which are not there, and flags that would do nothing, are refused', async () => {
  writeTables(changes.slice(1));
  const missing = await encode();
  expect(missing.code).toBe(3);
  expect(missing.stderr).toMatch(/1 of the 12 changes that the split names are not in .*mined/);
  expect(existsSync(join(folder, 'out', 'encoded.jsonl'))).toBe(false);
  for (const [flags, message] of [
    [['--seed', '7'], '--seed: nothing is drawn without --counterfactual'],
    [['--preset', 'codebert'], '--preset: '],
  ] as const) {
    const { code, stderr } = await encode(...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
