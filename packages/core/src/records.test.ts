import { expect, test } from 'vitest';
import { RedefError } from './errors.js';
import { parseRecord } from './parse-record.js';
import { type CodeChange, changeId } from './records.js';

const change: CodeChange = {
  schema: 'redef.change/1',
  id: 'a'.repeat(40),
  project: 'demo',
  commit: '1'.repeat(40),
  parent: '2'.repeat(40),
  path: 'src/a.c',
  function_name: 'f',
  function_signature: 'int f(void)',
  language: 'c',
  committed_at: '2020-02-03T04:05:06+01:00',
  authored_at: '2020-02-03T04:05:06Z',
  message: 'Change f',
  function_before: 'int f(void) { return 0; }',
  function_after: 'int f(void) { return 1; }',
  lines_before: { start: 1, end: 1 },
  lines_after: { start: 1, end: 1 },
  hunks: [{ old_start: 1, old_count: 1, new_start: 1, new_count: 1 }],
  extractor: 'scanner/1',
  confidence: 'high',
};

test('a whole row passes and comes back equal', () => {
  expect(parseRecord('redef.change/1', change, 'x:1')).toEqual(change);
});

test('an id is stable and depends on each of its four parts', () => {
  expect(changeId(change)).toMatchInlineSnapshot(`"bfa04b635166f5109c0a30ffaac6774f8e3d6c82"`);
  const parts = ['project', 'commit', 'path', 'function_signature'] as const;
  const ids = parts.map((part) => changeId({ ...change, [part]: `${change[part]}x` }));
  expect(new Set([changeId(change), ...ids]).size).toBe(5);
});

test.each([
  [{ ...change, schema: 'redef.change/9' }, 'unknown-schema', /changes\.jsonl:7: expected a redef\.change\/1 row/],
  [{ ...change, schema: undefined }, 'unknown-schema', /without a "schema" member/],
  [null, 'unknown-schema', /without a "schema" member/],
  [[], 'unknown-schema', /without a "schema" member/],
  ['text', 'unknown-schema', /without a "schema" member/],
  [{ ...change, commit: 'HEAD' }, 'invalid-record', /changes\.jsonl:7: commit: expected a full/],
  [{ ...change, hunks: [{ old_start: -1 }] }, 'invalid-record', /hunks\.0\.old_start/],
  [{ ...change, committed_at: 'yesterday' }, 'invalid-record', /committed_at/],
  [{ ...change, lines_after: undefined }, 'invalid-record', /lines_after/],
])('row %# is refused and the message names place and member', (row, code, message) => {
  let thrown: unknown;
  try {
    parseRecord('redef.change/1', row, 'changes.jsonl:7');
  } catch (error) {
    thrown = error;
  }
  expect(RedefError.isInstance(thrown)).toBe(true);
  expect(thrown).toMatchObject({ code, message: expect.stringMatching(message) });
});

test.each(['nope/1', 'toString', 'redef.label/2'])('%s is no schema, and the error names those there are', (name) => {
  expect(() => parseRecord(name as 'redef.label/1', { schema: name }, 'x:1')).toThrow(
    expect.objectContaining({ code: 'unknown-schema', remedy: expect.stringContaining('redef.label/1') }),
  );
});

test('evidence is told apart by its kind', () => {
  const row = { schema: 'redef.evidence/1', id: 'a'.repeat(40), kind: 'revert' };
  expect(() => parseRecord('redef.evidence/1', row, 'x')).toThrow(/revert_commit/);
  expect(() => parseRecord('redef.evidence/1', { ...row, kind: 'guess' }, 'x')).toThrow(/kind/);
  expect(parseRecord('redef.evidence/1', { ...row, kind: 'clean', later_commits: [] }, 'x').kind).toBe('clean');
});
