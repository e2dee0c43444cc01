import { expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { timeOf } from './time-order.js';

test.each([
  ['2020-01-01T00:00:00Z', 1577836800000],
  ['2020-01-01T01:00:00+01:00', 1577836800000],
  ['2020-01-01', 1577836800000],
  ['2020-01-01 00:00:00', 1577836800000],
  ['Wed, 01 Jan 2020 00:00:00 GMT', 1577836800000],
  [1577836800, 1577836800000],
  ['1577836800', 1577836800000],
  ['1577836800.0', 1577836800000],
  [1577836800000, 1577836800000],
  [1577836800n, 1577836800000],
  [new Date(1577836800000), 1577836800000],
  ['yesterday', undefined],
  ['', undefined],
  [null, undefined],
  [-1, undefined],
])('the time of %o', (value, expected) => {
  expect(timeOf(value)).toBe(expected);
});

test('finds rows out of order within each project, by the columns of other layouts', async () => {
  const row = (source: string, project: string, author_date: unknown, commit_id: string) => ({
    source,
    project,
    author_date,
    commit_id,
  });
  const audit = await auditData({
    train: [row('a', 'x', 100, 'c1'), row('b', 'y', 500, 'c1')],
    validation: [row('c', 'x', 200, 'c2'), row('d', 'y', 600, 'c3')],
    test: [row('e', 'x', 150, 'c4'), row('f', 'y', 700, 'c1'), row('g', 'y', 'lost', 'c1')],
  });
  expect(audit.leaks.undated).toBe(1);
  const [overall, byProject] = audit.leaks.time!;
  expect(overall).toMatchObject({
    holds: false,
    rowsTooEarly: { train: 0, validation: 1, test: 1 },
    rowsTooLate: { train: 1, validation: 2, test: 0 },
  });
  expect(byProject).toMatchObject({
    within: ['project'],
    groups: 2,
    groupsOutOfOrder: 1,
    rowsTooEarly: { validation: 0, test: 1 },
  });
  expect(byProject!.examples).toEqual([{ at: { set: 'test', row: 0 }, newer: { set: 'validation', row: 0 } }]);
  // c1 of x is not c1 of y.
  expect(audit.leaks.commits).toMatchObject({ shared: 1, rows: { train: 1, validation: 0, test: 2 } });
});
