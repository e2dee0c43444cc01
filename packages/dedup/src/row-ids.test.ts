import { expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { RowIds } from './row-ids.js';

test('gives back each id by its place, and nothing for rows without one', () => {
  const ids = new RowIds(2);
  ids.add(0, 0, 'one');
  ids.add(0, 1, 7);
  ids.add(0, 2, '');
  ids.add(0, 4, 'größe 🎉');
  expect([0, 1, 2, 3, 4, 5].map((row) => ids.get(0, row))).toEqual([
    'one',
    undefined,
    undefined,
    undefined,
    'größe 🎉',
    undefined,
  ]);
  expect([ids.has(0), ids.has(1)]).toEqual([true, false]);
});

test('an audit names the rows of its examples by their id, and of a set without ids by place alone', async () => {
  const train = [{ source: 'CWE-1 f ( ) { }', label: 'a' }];
  const row = { id: 't1', source: 'CWE-2 f ( ) { }', label: 'b' };
  const audit = await auditData({ train, test: [row] });
  expect(audit.contradictionsBy[0]!.examples[0]!.labels).toEqual([
    { label: 'CWE-1', at: { set: 'train', row: 0 } },
    { label: 'CWE-2', at: { set: 'test', row: 0, id: 't1' } },
  ]);
  expect(audit.leakedIds).toMatchObject({ exact: [], 'tag-stripped': ['t1'] });
  // Predictions cannot be joined by id where the evaluated set has none.
  expect(await auditData({ train: [row], test: train })).not.toHaveProperty('leakedIds');
});
