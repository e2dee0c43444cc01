import { expect, test } from 'vitest';
import { drawNoise } from './noise.js';

test('noise is uniform and set by seed and name', () => {
  const noise = drawNoise(1, 'a', 100_000);
  expect(drawNoise(1, 'a', 100_000)).toEqual(noise);
  expect(drawNoise(2, 'a', 8)).not.toEqual(noise.slice(0, 8));
  expect(drawNoise(1, 'b', 8)).not.toEqual(noise.slice(0, 8));
  expect(drawNoise('1', 'a', 8)).not.toEqual(noise.slice(0, 8));
  const counts = new Array<number>(16).fill(0);
  for (const value of noise) counts[value >> 12]!++;
  const chiSquare = counts.reduce((total, count) => total + (count - 6250) ** 2 / 6250, 0);
  expect(chiSquare).toBeLessThan(37.7); // 15 degrees of freedom, p = 0.001; the draw is fixed
});
