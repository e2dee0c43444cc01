import { createRng } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchByTime } from './match-clean.js';

const times = fc.array(fc.nat(1000), { maxLength: 40 }).map((all) => all.sort((a, b) => a - b));

test('draws lie in the window of an anchor, none is drawn twice, and all are accounted for', () => {
  fc.assert(
    fc.property(times, times, fc.nat(4), fc.nat(300), (anchors, pool, ratio, windowSeconds) => {
      const { chosen, unmatched } = matchByTime(anchors, pool, { ratio, windowSeconds, rng: createRng(1) });
      expect(new Set(chosen).size).toBe(chosen.length);
      expect(chosen.length + unmatched).toBe(anchors.length * ratio);
      for (const place of chosen) {
        expect(anchors.some((seconds) => Math.abs(seconds - pool[place]!) <= windowSeconds)).toBe(true);
      }
    }),
    { seed: 9 },
  );
});

test('asks no more once nothing is left, however many are wanted', () => {
  const { chosen, unmatched } = matchByTime([0, 1000], [1, 2, 3], {
    ratio: 1e12,
    windowSeconds: 10,
    rng: createRng(1),
  });
  expect(chosen).toEqual([0, 1, 2]);
  expect(unmatched).toBe(2e12 - 3);
});

test('each item of the window is as likely as the next', () => {
  const pool = [1, 2, 3, 4];
  const drawn = [0, 0, 0, 0];
  for (let seed = 0; seed < 4000; seed++) {
    drawn[matchByTime([2], pool, { ratio: 1, windowSeconds: 10, rng: createRng(seed) }).chosen[0]!]!++;
  }
  for (const count of drawn) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

test('no anchor takes a second draw before each had its first', () => {
  const anchors = [0, 100];
  const pool = [50, 60];
  const { chosen } = matchByTime(anchors, pool, { ratio: 1, windowSeconds: 60, rng: createRng(3) });
  expect(chosen).toEqual([0, 1]);
});
