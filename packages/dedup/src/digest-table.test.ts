import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DigestTable, Uint32List } from './digest-table.js';

test('numbers digests as a Map does, through growth and collisions', () => {
  // Few distinct words make many digests begin in the same slot.
  const digest = fc.array(fc.constantFrom(0, 1, 2048, 4096, 0xffffffff), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(digest, { maxLength: 3000 }), (digests) => {
      const table = new DigestTable();
      const known = new Map<string, number>();
      for (const words of digests) {
        const key = words.join();
        if (!known.has(key)) known.set(key, known.size);
        expect(table.add(Uint32Array.from([9, ...words]), 1)).toBe(known.get(key));
      }
      expect(table.size).toBe(known.size);
    }),
    { numRuns: 30 },
  );
  const table = new DigestTable();
  for (let turn = 0; turn < 2; turn++) {
    for (let number = 0; number < 20_000; number++)
      expect(table.add(Uint32Array.of(number * 2048, 1, 2, 3), 0)).toBe(number);
  }
});

test('a list is 0 where nothing was written', () => {
  const list = new Uint32List();
  list.set(100_000, 7);
  expect([list.get(0), list.get(100_000), list.get(1e9)]).toEqual([0, 7, 0]);
  expect(list.view(0)).toHaveLength(0);
  expect(list.view(200_000)).toHaveLength(200_000);
});
