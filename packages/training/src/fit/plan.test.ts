import { createRng } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planEpoch, stepsPerEpoch } from './plan.js';
import { defaultFitSettings, learningRateAt } from './settings.js';

test('an epoch holds every item once, in whole batches but for one', () => {
  const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 64 })), {
    minLength: 1,
  });
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(lengths, size, size, size, fc.integer(), (items, batchSize, accumulation, stepsPerRun, seed) => {
      const options = { batchSize, accumulation, stepsPerRun, rng: createRng(seed) };
      const plan = planEpoch(items, options);
      expect(plan.flat(2).sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
      expect(plan).toHaveLength(stepsPerEpoch(items.length, { batchSize, accumulation }));
      const batches = plan.flat();
      expect(batches.filter((batch) => batch.length < batchSize).length).toBeLessThanOrEqual(1);
      expect(plan.slice(0, -1).every((step) => step.length === accumulation)).toBe(true);
      expect(planEpoch(items, { ...options, rng: createRng(seed) })).toEqual(plan);
    }),
  );
});

test('batches pad a tenth of what unsorted ones do, and each epoch has its own order', () => {
  const rng = createRng('lengths');
  const lengths = Array.from({ length: 2000 }, () => [16 + rng.integer(496)]);
  const padding = (batches: readonly (readonly number[])[]) =>
    batches.reduce((sum, batch) => {
      const longest = Math.max(...batch.map((index) => lengths[index]![0]!));
      return sum + batch.reduce((rest, index) => rest + longest - lengths[index]![0]!, 0);
    }, 0);
  const plan = planEpoch(lengths, { batchSize: 8, accumulation: 1, stepsPerRun: 1, rng: createRng(1) });
  const unsorted = Array.from({ length: 250 }, (_, batch) => Array.from({ length: 8 }, (_, row) => batch * 8 + row));
  expect(padding(plan.flat())).toBeLessThan(0.1 * padding(unsorted));

  // Long and short batches come mixed: no half of the epoch is longer than the other.
  const mean = (batches: readonly (readonly number[])[]) =>
    batches.flat().reduce((sum, index) => sum + lengths[index]![0]!, 0) / batches.flat().length;
  const ratio = mean(plan.slice(0, 125).flat()) / mean(plan.slice(125).flat());
  expect(Math.abs(Math.log(ratio))).toBeLessThan(0.2);
  expect(planEpoch(lengths, { batchSize: 8, accumulation: 1, stepsPerRun: 1, rng: createRng(2) })).not.toEqual(plan);
});

test('the batches of a run are neighbours in length, and runs come mixed', () => {
  const rng = createRng('lengths');
  const lengths = Array.from({ length: 2000 }, () => [16 + rng.integer(496)]);
  const plan = planEpoch(lengths, { batchSize: 4, accumulation: 2, stepsPerRun: 4, rng: createRng(1) });
  const runs = Array.from({ length: Math.ceil(plan.length / 4) }, (_, run) => plan.slice(4 * run, 4 * run + 4).flat(2));
  const spreads = runs.map((run) => {
    const sizes = run.map((index) => lengths[index]![0]!);
    return Math.max(...sizes) - Math.min(...sizes);
  });
  expect(Math.max(...spreads)).toBeLessThan(150); // 496 over all, 62 expected: eight runs in a window
  expect(runs.map(([first]) => lengths[first!]![0]!)).not.toEqual(
    runs.map(([first]) => lengths[first!]![0]!).sort((a, b) => a - b),
  );
});

test('the learning rate goes up over the warm-up and down to 0', () => {
  const rates = Array.from({ length: 20 }, (_, i) =>
    learningRateAt(i + 1, 20, { ...defaultFitSettings, learningRate: 1 }),
  );
  const expected = [0, 0.5, ...Array.from({ length: 18 }, (_, i) => (18 - i) / 18)]; // transformers' factors for 2 of 20
  for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo(expected[i]!, 12);
  const level = { ...defaultFitSettings, learningRate: 1, schedule: 'constant' as const };
  expect([1, 2, 3, 20].map((step) => learningRateAt(step, 20, level))).toEqual([0, 0.5, 1, 1]);
  expect(learningRateAt(1, 1, defaultFitSettings)).toBe(1e-5); // a single step is not wasted
});
