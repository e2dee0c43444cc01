import { createRng } from '@redef/core';
import { expect, test } from 'vitest';
import { emptyConfusion, f1, f1Inflation } from './f1.js';

test('F1 of counts, and of nothing', () => {
  expect(f1({ truePositives: 3, falsePositives: 1, falseNegatives: 2, trueNegatives: 9 })).toBe(6 / 9);
  expect(f1({ truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 5 })).toBeNull();
});

test('bootstrap intervals hold the score, and are narrow with many rows', () => {
  const leaked = { truePositives: 90, falsePositives: 5, falseNegatives: 5, trueNegatives: 100 };
  const clean = { truePositives: 30, falsePositives: 60, falseNegatives: 50, trueNegatives: 260 };
  const few = f1Inflation(leaked, clean, createRng(1), 500);
  for (const { score, interval } of [few.overall, few.leaked, few.clean]) {
    expect(interval![0]).toBeLessThan(score!);
    expect(interval![1]).toBeGreaterThan(score!);
  }
  expect(few.inflation!.value).toBeCloseTo(few.overall.score! - few.clean.score!, 12);
  expect(few.inflation!.interval[0]).toBeGreaterThan(0);
  const tenfold = <T extends object>(counts: T) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * 10])) as T;
  const many = f1Inflation(tenfold(leaked), tenfold(clean), createRng(1), 500);
  const width = ([low, high]: [number, number]) => high - low;
  expect(width(many.clean.interval!) / width(few.clean.interval!)).toBeCloseTo(Math.sqrt(0.1), 1);
});

test('without leaked rows there is no inflation, without rows no score', () => {
  const clean = { truePositives: 3, falsePositives: 1, falseNegatives: 2, trueNegatives: 9 };
  const found = f1Inflation(emptyConfusion(), clean, createRng(1), 100);
  expect(found.inflation).toMatchObject({ value: 0, interval: [0, 0] });
  expect(found.leaked).toEqual({ score: null, interval: null });
});
