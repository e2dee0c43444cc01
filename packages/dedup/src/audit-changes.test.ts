import { expect, test } from 'vitest';
import { auditChanges, type SplitChange } from './audit-changes.js';

const change = (overrides: Partial<SplitChange>): SplitChange => ({
  id: '0123456789abcdef',
  project: 'redis',
  commit: 'a'.repeat(40),
  path: 'src/dict.c',
  function_signature: 'int f ( )',
  committed_at: '2020-01-01T00:00:00Z',
  function_before: 'int f() { return 0; }',
  function_after: 'int f() { return 1; }',
  split: 'train',
  label: 'clean',
  ...overrides,
});

test('finds twins, contradictions, shared commits and functions, and a time order that does not hold', async () => {
  const audit = await auditChanges([
    change({}),
    change({ split: 'test', committed_at: '2019-12-31T23:00:00Z', label: 'defective' }),
    change({
      split: 'test',
      commit: 'b'.repeat(40),
      function_signature: 'int g ( )',
      function_before: 'int f()  { return 0; } // again',
      committed_at: '2020-01-01T01:00:00+01:00',
    }),
  ]);
  expect(audit.crossSetDuplicates).toBe(1);
  expect(audit.levels.find(({ level }) => level === 'normalised')?.sets.test).toEqual({
    rows: 2,
    inSetDuplicates: 1,
    unique: 1,
  });
  expect(audit.leakedRows).toMatchObject({ exact: [0], normalised: [0, 1] });
  expect(audit.contradictionsBy[1]).toMatchObject({ by: 'label', codes: 1, rows: 2, acrossOnly: 1 });
  expect(audit.leaks.commits).toMatchObject({ shared: 1, rows: { train: 1, validation: 0, test: 1 } });
  expect(audit.leaks.functions).toMatchObject({
    shared: 1,
    examples: [
      {
        value: 'redis src/dict.c int f ( )',
        at: [
          { set: 'train', row: 0 },
          { set: 'test', row: 0 },
        ],
      },
    ],
  });
  const [overall, withinProjectAndLabel] = audit.leaks.time!;
  expect(overall).toMatchObject({ holds: false, rowsTooEarly: { test: 1 }, rowsTooLate: { train: 1 } });
  const id = '0123456789abcdef';
  expect(overall!.examples).toEqual([{ at: { set: 'test', row: 0, id }, newer: { set: 'train', row: 0, id } }]);
  expect(withinProjectAndLabel).toMatchObject({ within: ['project', 'label'], holds: true, groups: 2 });
});

test('a change without a split is refused by id', async () => {
  const lost = change({ split: 'holdout' as 'test' });
  await expect(auditChanges([lost])).rejects.toMatchObject({
    code: 'invalid-record',
    message: expect.stringContaining(lost.id),
  });
});
