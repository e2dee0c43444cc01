import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { difference, proportion } from './intervals.js';

// Made by test/fixtures/intervals.py.
const golden: { counts: [number, number, number, number]; wilson: [number, number]; newcombe: [number, number] }[] =
  JSON.parse(readFileSync(new URL('../test/fixtures/intervals.json', import.meta.url), 'utf8'));

test.each(golden)('intervals of $counts equal those of statsmodels', ({ counts, wilson, newcombe }) => {
  const first = proportion(counts[0], counts[1]);
  const { interval } = difference(first, proportion(counts[2], counts[3]))!;
  for (const side of [0, 1]) {
    expect(first.interval![side]).toBeCloseTo(wilson[side]!, 12);
    expect(interval[side]).toBeCloseTo(newcombe[side]!, 12);
  }
});

test('no rows, no score', () => {
  expect(proportion(0, 0)).toEqual({ rows: 0, correct: 0, score: null, interval: null });
  expect(difference(proportion(0, 0), proportion(1, 2))).toBeNull();
});
