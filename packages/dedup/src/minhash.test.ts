import { createRng, type Rng } from '@redef/core';
import { expect, test } from 'vitest';
import { expectedRecall, MinHash, planBands } from './minhash.js';

/** Two random sets of hashes with exactly `shared` of `all` elements in common. */
function randomPair(rng: Rng, shared: number, all: number): [Int32Array, Int32Array] {
  const elements = Int32Array.from({ length: all }, () => rng.integer(2 ** 32));
  const half = shared + Math.floor((all - shared) / 2);
  return [elements.slice(0, half), Int32Array.from([...elements.slice(0, shared), ...elements.slice(half)])];
}

test.each([
  [0.8, 0.995, 0.8],
  [0.8, 0.995, 0.6],
  [0.5, 0.9, 0.5],
])('bands for %d at %d: pairs at %d meet as often as derived', (threshold, recall, jaccard) => {
  const plan = planBands(threshold, recall);
  const minHash = new MinHash(plan, 'recall');
  const rng = createRng(`pairs at ${jaccard}`);
  const keys = [new Uint32Array(plan.bands), new Uint32Array(plan.bands)] as const;
  const pairs = 2000;
  let met = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const [first, second] = randomPair(rng, jaccard * 100, 100);
    minHash.bandKeys(first, first.length, keys[0]);
    minHash.bandKeys(second, second.length, keys[1]);
    if (keys[0].some((key, band) => key === keys[1][band])) met++;
  }
  const expected = expectedRecall(jaccard, plan);
  expect(Math.abs(met / pairs - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / pairs));
});

test('a plan reaches its recall within 128 minima, or is refused', () => {
  expect(planBands(0.8, 0.995)).toEqual({ bands: 18, rowsPerBand: 6 });
  expect(planBands(1, 0.995)).toEqual({ bands: 1, rowsPerBand: 16 });
  for (const threshold of [0.3, 0.5, 0.7, 0.9]) {
    const plan = planBands(threshold, 0.99);
    expect(plan.bands * plan.rowsPerBand).toBeLessThanOrEqual(128);
    expect(expectedRecall(threshold, plan)).toBeGreaterThanOrEqual(0.99);
  }
  expect(() => planBands(1e-30, 0.99)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});

test('the order of elements and their repetition do not matter', () => {
  const minHash = new MinHash({ bands: 4, rowsPerBand: 3 }, 1);
  const keys = [new Uint32Array(4), new Uint32Array(4)] as const;
  minHash.bandKeys(Int32Array.of(5, -7, 11), 3, keys[0]);
  minHash.bandKeys(Int32Array.of(11, 5, 5, -7, 99), 4, keys[1]);
  expect(keys[1]).toEqual(keys[0]);
});
