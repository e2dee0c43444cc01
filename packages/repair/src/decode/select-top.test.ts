import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectTop } from './select-top.js';

test('equal to sorting all of it, ties by row and token, -Infinity and NaN left out', () => {
  const value = fc.oneof(
    fc.constantFrom(-1, -2, -Infinity, Number.NaN, 0),
    fc.float({ min: Math.fround(-1e6), max: 0, noNaN: true }),
    fc.float({ min: -2, max: 0, noNaN: true }),
  );
  const input = fc.integer({ min: 1, max: 9 }).chain((vocabulary) =>
    fc.record({
      vocabulary: fc.constant(vocabulary),
      rows: fc.array(
        fc.tuple(
          fc.float({ min: Math.fround(-1e7), max: 0, noNaN: true }),
          fc.array(value, { minLength: vocabulary, maxLength: vocabulary }),
        ),
        { minLength: 1, maxLength: 6 },
      ),
      count: fc.integer({ min: 1, max: 20 }),
    }),
  );
  fc.assert(
    fc.property(input, ({ vocabulary, rows, count }) => {
      const all = rows
        .flatMap(([base, values], row) =>
          values.map((v, token) => [Math.fround(base + Math.fround(v)), row, token] as const),
        )
        .filter(([score]) => score > -Infinity)
        .sort((a, b) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2])
        .slice(0, count);
      const flat = Float32Array.from(rows.flatMap(([, values]) => values));
      const select = () =>
        selectTop(
          flat,
          vocabulary,
          Float32Array.from(rows, ([base]) => base),
          count,
        );
      if (all.length === 0) {
        expect(select).toThrow('above -Infinity');
        return;
      }
      const found = select();
      expect(Array.from(found.scores, (score, i) => [score, found.rows[i], found.tokens[i]])).toEqual(all);
    }),
    { numRuns: 2000 },
  );
});
