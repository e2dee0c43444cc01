import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CodeChange, changeId, type Label, type SplitName } from '@redef/core';
import { writeJsonl } from '@redef/core/files';
import { afterAll, expect, test } from 'vitest';
import { dedupStage } from './dedup.js';

const root = mkdtempSync(join(tmpdir(), 'redef-dedup-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function change(overrides: Partial<CodeChange>): CodeChange {
  const made = {
    schema: 'redef.change/1' as const,
    project: 'redis',
    commit: 'a'.repeat(40),
    parent: '0'.repeat(40),
    path: 'src/dict.c',
    function_name: 'f',
    function_signature: 'int f ( )',
    language: 'c' as const,
    committed_at: '2020-01-01T00:00:00+00:00',
    authored_at: '2020-01-01T00:00:00+00:00',
    message: 'Change',
    function_before: 'int f()\n{\n  return 0;\n}',
    function_after: 'int f()\n{\n  return 1;\n}',
    lines_before: { start: 1, end: 4 },
    lines_after: { start: 1, end: 4 },
    hunks: [{ old_start: 3, old_count: 1, new_start: 3, new_count: 1 }],
    extractor: 'scanner/1',
    confidence: 'high' as const,
    ...overrides,
  };
  return { ...made, id: changeId(made) };
}

test('the audit tells what the sets share by the texts and origins of the changes, and names them by id', async () => {
  const trained = change({});
  const unlabelled = change({ commit: 'c'.repeat(40) });
  const sameCommit = change({ path: 'src/list.c', function_before: 'int g()\n{\n  return 7;\n', function_after: 'x' });
  const sameFunction = change({ commit: 'b'.repeat(40), committed_at: '2019-06-01T00:00:00+00:00' });
  const changes = [trained, unlabelled, sameCommit, sameFunction];
  const splits: [CodeChange, SplitName, Label['label']][] = [
    [trained, 'train', 'clean'],
    [sameCommit, 'test', 'clean'],
    [sameFunction, 'test', 'clean'],
  ];
  await writeJsonl(join(root, 'mined/changes.jsonl'), changes);
  await writeJsonl(
    join(root, 'labels/labels.jsonl'),
    splits.map(([{ id }, , label]) => ({
      schema: 'redef.label/1',
      id,
      label,
      transition: null,
      agreed: true,
      decided_by: 'screen',
      rule_based: true,
    })),
  );
  await writeJsonl(
    join(root, 'split/splits.jsonl'),
    splits.map(([{ id }, split]) => ({ schema: 'redef.split/1', id, split, rule: 'test' })),
  );
  const out = join(root, 'out');
  const { manifest } = await dedupStage({
    mined: join(root, 'mined'),
    labels: join(root, 'labels'),
    split: join(root, 'split'),
    out,
  });
  expect(manifest.counts).toEqual({ in: 3, kept: 2, dropped: { 'cross-set-duplicate': 1 } });

  const audit = JSON.parse(readFileSync(join(out, 'audit.json'), 'utf8'));
  const at = (set: SplitName, row: number, { id }: CodeChange) => ({ set, row, id });
  expect(audit).toMatchObject({ crossSetDuplicates: 1, leakedIds: { exact: [sameFunction.id] } });
  expect(audit.leaks.commits.examples).toEqual([
    { value: `redis ${'a'.repeat(40)}`, at: [at('train', 0, trained), at('test', 0, sameCommit)] },
  ]);
  expect(audit.leaks.functions.examples).toEqual([
    { value: 'redis src/dict.c int f ( )', at: [at('train', 0, trained), at('test', 1, sameFunction)] },
  ]);
  expect(audit.leaks.time[0]).toMatchObject({
    holds: false,
    examples: [{ at: at('test', 1, sameFunction), newer: at('train', 0, trained) }],
  });
  expect(audit.quality.test).toMatchObject({
    issues: { 'truncated-function': 1, 'empty-function': 0 },
    exampleIds: { 'truncated-function': [sameCommit.id] },
  });
});
