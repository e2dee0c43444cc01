import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candidatePairs } from './candidates.js';
import { UnionFind } from './union-find.js';

test('yields each pair that meets in some band, once', () => {
  const bands = fc.integer({ min: 1, max: 4 }).chain((count) =>
    fc.array(fc.array(fc.constantFrom(0, 1, 2, 0xffffffff), { minLength: 12, maxLength: 12 }), {
      minLength: count,
      maxLength: count,
    }),
  );
  fc.assert(
    fc.property(bands, (rows) => {
      const keys = rows.map((row) => Uint32Array.from(row));
      const found = [...candidatePairs(keys, { together: () => false, onCapped: () => {} })].map(
        ([first, second]) => `${first}-${second}`,
      );
      const expected: string[] = [];
      for (let first = 0; first < 12; first++) {
        for (let second = first + 1; second < 12; second++) {
          if (keys.some((band) => band[first] === band[second])) expected.push(`${first}-${second}`);
        }
      }
      expect(found.sort()).toEqual(expected.sort());
    }),
  );
});

test('a huge bucket is compared by neighbours, and told of', () => {
  let capped = 0;
  const keys = [new Uint32Array(5000)];
  const pairs = [...candidatePairs(keys, { together: () => false, onCapped: () => capped++ })];
  expect(capped).toBe(1);
  expect(pairs.length).toBeLessThan(5000 * 51);
  // Texts that are alike are joined along the chain of neighbours all the same.
  const joined = new UnionFind(5000);
  for (const [first, second] of candidatePairs(keys, {
    together: (a, b) => joined.find(a) === joined.find(b),
    onCapped: () => {},
  })) {
    expect(joined.join(first, second)).toBe(true);
  }
  expect(new Set(Array.from({ length: 5000 }, (_none, item) => joined.find(item))).size).toBe(1);
});
