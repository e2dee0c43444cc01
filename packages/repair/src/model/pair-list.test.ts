import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOfPairs, PairList, pairsOf } from './pair-list.js';

const pairs = (most: number) =>
  fc.array(
    fc.record({
      id: fc.string(),
      sourceIds: fc.int32Array({ min: 0, max: most }),
      targetIds: fc.int32Array({ min: 0, max: most }),
      sourceCut: fc.boolean(),
      targetCut: fc.boolean(),
    }),
  );

test.each([2 ** 16, 2 ** 16 + 1])('gives back what was put in, vocabulary %i', (vocabularySize) => {
  fc.assert(
    fc.property(pairs(vocabularySize - 1), (given) => {
      const list = new PairList(vocabularySize);
      for (const pair of given) list.push(pair);
      expect([...pairsOf(list)]).toEqual(given);
      expect(list.at(given.length)).toBeUndefined();
      expect(digestOfPairs(list)).toBe(digestOfPairs(given));
    }),
  );
});

test('a block that is full is followed by another, and a pair may be longer than a block', () => {
  const list = new PairList(10);
  const lengths = [700_000, 400_000, 2_000_000, 3];
  for (const [id, length] of lengths.entries()) {
    const ids = new Int32Array(length).fill(id);
    list.push({ id: String(id), sourceIds: ids, targetIds: ids.subarray(0, 2), sourceCut: false, targetCut: false });
  }
  for (const [id, length] of lengths.entries()) {
    const { sourceIds, targetIds } = list.at(id)!;
    expect([sourceIds.length, sourceIds[length - 1], ...targetIds]).toEqual([length, id, id, id]);
  }
});

test('a digest tells where a source ends', () => {
  const pair = (source: number[], target: number[]) => [
    {
      id: 'a',
      sourceIds: Int32Array.from(source),
      targetIds: Int32Array.from(target),
      sourceCut: false,
      targetCut: false,
    },
  ];
  expect(digestOfPairs(pair([1, 2], [3]))).not.toBe(digestOfPairs(pair([1], [2, 3])));
});
