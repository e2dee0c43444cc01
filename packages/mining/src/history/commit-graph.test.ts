import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommitGraph } from './commit-graph.js';
import { CommitTable } from './commit-table.js';

const id = (n: number): string => createHash('sha1').update(String(n)).digest('hex');

/** Random histories: each commit has up to three earlier parents and a committer date that may run backwards. */
const histories = fc.array(fc.record({ parents: fc.array(fc.nat(), { maxLength: 3 }), at: fc.nat(20) }), {
  minLength: 1,
  maxLength: 25,
});

function build(
  rows: readonly { parents: number[]; at: number }[],
  order: readonly number[],
): { table: CommitTable; names: number[] } {
  const table = new CommitTable(order.length, 20);
  for (const n of order) {
    const parents = n === 0 ? [] : [...new Set(rows[n]!.parents.map((parent) => parent % n))];
    table.add(id(n), parents.map(id), rows[n]!.at, 0, 0);
  }
  return { table, names: [...order] };
}

test('reachability and order, against a search without shortcuts', () => {
  fc.assert(
    fc.property(histories, (rows) => {
      const { table } = build(
        rows,
        rows.map((_, n) => n),
      );
      const graph = new CommitGraph(table);
      const reached = rows.map((_, n) => {
        const seen = new Set<number>();
        const visit = (commit: number): void => {
          for (const parent of table.parents(commit)) {
            if (!seen.has(parent)) {
              seen.add(parent);
              visit(parent);
            }
          }
        };
        visit(n);
        return seen;
      });
      for (let a = 0; a < rows.length; a++) {
        for (let b = 0; b < rows.length; b++) {
          expect(graph.isAncestor(a, b)).toBe(reached[b]!.has(a));
          if (reached[b]!.has(a)) expect(graph.position[a]!).toBeLessThan(graph.position[b]!);
        }
      }
    }),
    { seed: 5 },
  );
});

test('the order is that of the graph, whatever the order of reading', () => {
  fc.assert(
    fc.property(histories, (rows) => {
      const natural = rows.map((_, n) => n);
      const first = build(rows, natural);
      const orderOf = ({ table, names }: ReturnType<typeof build>): number[] =>
        [...new CommitGraph(table).order].map((commit) => names[commit]!);
      // another order in which parents come before children
      const other: number[] = [];
      const left = new Set(natural);
      while (left.size > 0) {
        const ready = [...left].filter((n) => first.table.parents(n).every((parent) => !left.has(parent)));
        const next = ready[ready.length - 1]!;
        other.push(next);
        left.delete(next);
      }
      expect(orderOf(build(rows, other))).toEqual(orderOf(first));
    }),
    { seed: 6 },
  );
});

test('ids are found by abbreviation, ambiguous ones twice', () => {
  const table = new CommitTable(3000, 20);
  for (let n = 0; n < 3000; n++) table.add(id(n), n === 0 ? [] : [id(n - 1)], n, 0, 0);
  for (let n = 0; n < 3000; n += 97) expect(table.find(id(n))).toEqual([n]);
  expect(table.find('a')).toHaveLength(2);
  expect(table.find('f'.repeat(40))).toEqual([]);
});
