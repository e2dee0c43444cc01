import { expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { inferLayout } from './layout.js';
import { findNearDuplicates } from './near-duplicates.js';

test.each([
  ['VRepair', ['', 'source', 'target'], { key: ['source'], code: 'source', repaired: 'target', labels: [] }],
  [
    'ReDef',
    [
      'id',
      'project',
      'commit',
      'path',
      'function_signature',
      'committed_at',
      'function_before',
      'function_after',
      'label',
    ],
    {
      key: ['function_before', 'function_after'],
      repaired: 'function_after',
      labels: ['label'],
      commit: 'commit',
      time: 'committed_at',
      function: ['path', 'function_signature'],
      within: ['project'],
    },
  ],
  [
    'Devign',
    ['func', 'target', 'project', 'commit_id'],
    { key: ['func'], code: 'func', labels: ['target'], commit: 'commit_id' },
  ],
  [
    'Big-Vul',
    ['CWE ID', 'func_before', 'func_after', 'vul', 'commit_id'],
    { key: ['func_before'], repaired: 'func_after', labels: ['vul', 'CWE ID'] },
  ],
  ['CodeXGLUE refinement', ['buggy', 'fixed'], { key: ['buggy', 'fixed'], code: 'buggy' }],
  ['an unknown one', ['', 'idx', 'a', 'b'], { key: ['a', 'b'], labels: [] }],
])('%s', (_name, columns, expected) => {
  expect(inferLayout(Object.fromEntries(columns.map((name) => [name, 'x'])))).toMatchObject(expected);
});

test('what options name must be there; what is named wins over what is inferred', async () => {
  const rows = [{ source: 'a', target: 'b', cwe: '1', body: 'int f ( ) { }' }];
  await expect(auditData({ train: rows }, { layout: { commit: 'comit' } })).rejects.toMatchObject({
    code: 'missing-column',
  });
  const { layout } = await auditData({ train: rows }, { key: ['body'], layout: { labels: ['target'] } });
  expect(layout).toMatchObject({ key: ['body'], labels: ['target'] });
});

test('a key is never empty where there are columns', () => {
  expect(inferLayout({ id: 1, idx: 2 }).key).toEqual(['id', 'idx']);
  expect(inferLayout({ source: 'a' }, { key: [] }).key).toEqual(['source']);
});

test('code is not guessed where nothing tells it', async () => {
  expect(inferLayout({ a: '{', b: 'x' }).code).toBeUndefined();
  const audit = await auditData({ train: [{ a: '{', b: 'x' }] });
  expect(audit.quality.train!.lengths).toBeNull();
  await expect(findNearDuplicates({ train: [{ a: '{' }] })).rejects.toMatchObject({ code: 'missing-column' });
});
