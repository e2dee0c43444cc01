import type { Label } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DatedChange, splitChanges } from './split.js';

const hex = (n: number): string => n.toString(16).padStart(40, '0');
const changeAt = (n: number, seconds: number, project = 'p'): DatedChange => ({
  id: hex(n),
  project,
  commit: hex(n + 1000),
  committed_at: new Date(seconds * 1000).toISOString().replace('.000Z', '+00:00'),
});

test('ten changes of a class: eight train, one validates, one tests, oldest first whatever their order', () => {
  const changes = [7, 2, 9, 0, 5, 3, 8, 1, 6, 4].map((n) => changeAt(n, 1_600_000_000 + n));
  const labels = new Map(changes.map(({ id }) => [id, 'clean' as const]));
  const splits = splitChanges(changes, labels);
  expect(splits.map(({ id }) => id)).toEqual(changes.map(({ id }) => id));
  const of = (split: string): string[] =>
    splits
      .filter((row) => row.split === split)
      .map(({ id }) => id)
      .sort();
  expect(of('train')).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(hex));
  expect([...of('validation'), ...of('test')]).toEqual([hex(8), hex(9)]);
});

test('the offset of a date counts: 01:00+02:00 is before 00:30+01:00', () => {
  const changes = [
    { ...changeAt(1, 0), committed_at: '2020-01-01T00:30:00+01:00' },
    { ...changeAt(2, 0), committed_at: '2020-01-01T01:00:00+02:00' },
  ];
  const labels = new Map(changes.map(({ id }) => [id, 'clean' as const]));
  expect(splitChanges(changes, labels).map(({ split }) => split)).toEqual(['test', 'train']);
});

test('for any labelled changes: sizes by the rule in every group, and no group trains on what is newer than its test', () => {
  const some = fc.array(
    fc.record({
      time: fc.integer({ min: 0, max: 50 }),
      project: fc.constantFrom('a', 'b'),
      defective: fc.boolean(),
      labelled: fc.boolean(),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(some, (rows) => {
      const changes = rows.map(({ time, project }, n) => changeAt(n, time, project));
      const labels = new Map<string, Label['label']>();
      for (const [n, { labelled, defective }] of rows.entries()) {
        if (labelled) labels.set(hex(n), defective ? 'defective' : 'clean');
      }
      const splits = splitChanges(changes, labels);
      expect(splits.map(({ id }) => id)).toEqual(changes.map(({ id }) => id).filter((id) => labels.has(id)));
      for (const project of ['a', 'b']) {
        for (const label of ['defective', 'clean'] as const) {
          const group = splits.filter(({ id }) => {
            const n = Number.parseInt(id, 16);
            return rows[n]!.project === project && labels.get(id) === label;
          });
          const times = (split: string): number[] =>
            group.filter((row) => row.split === split).map(({ id }) => rows[Number.parseInt(id, 16)]!.time);
          const n = group.length;
          expect(times('train').length).toBe(Math.floor(0.8 * n + 1e-9));
          expect(times('train').length + times('validation').length).toBe(Math.floor(0.9 * n + 1e-9));
          expect(Math.max(...times('train'), -1)).toBeLessThanOrEqual(
            Math.min(...times('validation'), ...times('test'), 99),
          );
          expect(Math.max(...times('validation'), -1)).toBeLessThanOrEqual(Math.min(...times('test'), 99));
        }
      }
    }),
  );
});

test('strict: nothing trained on is newer than anything tested, and one instant is never divided', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), (times) => {
      const changes = times.map((time, n) => changeAt(n, time, n % 2 === 0 ? 'a' : 'b'));
      const labels = new Map(
        changes.map(({ id }, n) => [id, n % 3 === 0 ? ('defective' as const) : ('clean' as const)]),
      );
      const splits = splitChanges(changes, labels, { rule: 'strict' });
      const of = (name: string): number[] => times.filter((_, n) => splits[n]!.split === name);
      const after = (name: string): number => Math.min(...of(name), 99);
      expect(Math.max(...of('train'), -1)).toBeLessThan(Math.min(after('validation'), after('test')));
      expect(Math.max(...of('validation'), -1)).toBeLessThan(after('test'));
      expect(of('train').length).toBeLessThanOrEqual(0.8 * times.length);
    }),
  );
});

test('cross-project: the named projects test and nothing else does; one at a time leaves one project out', () => {
  const changes = Array.from({ length: 54 }, (_, n) => changeAt(n, 1000 - n, ['a', 'b', 'c'][n % 3]));
  const labels = new Map(changes.map(({ id }, n) => [id, n % 2 === 0 ? ('defective' as const) : ('clean' as const)]));
  const splits = splitChanges(changes, labels, { rule: 'cross-project', testProjects: ['b'] });
  splits.forEach(({ split, rule }, n) => {
    expect(split === 'test').toBe(n % 3 === 1);
    expect(rule).toBe('cross-project/b');
  });
  expect(splits.filter(({ split }) => split === 'validation').length).toBe(4); // the newest of nine, per project and class
  for (const testProjects of [['d'], []]) {
    expect(() => splitChanges(changes, labels, { rule: 'cross-project', testProjects })).toThrow(
      expect.objectContaining({ code: 'unknown-project', remedy: 'Choose among a, b, c.' }),
    );
  }
});

test('two changes of one id are refused', () => {
  const labels = new Map([[hex(1), 'clean' as const]]);
  expect(() => splitChanges([changeAt(1, 0), changeAt(2, 0), changeAt(1, 5)], labels)).toThrow(
    `change 3: the id ${hex(1)} stands at change 1 already`,
  );
});
