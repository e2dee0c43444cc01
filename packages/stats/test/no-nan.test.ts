import { createRng, RedefError } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as stats from '../src/index.js';

/** Numbers as they come, and as they should not. */
const wild = fc.oneof(
  fc.double({ noNaN: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(0, -0, 1, 0.1, 1e-320, 5e-324, 1e149, -1e149, 1e308, Number.NaN, Number.POSITIVE_INFINITY),
  fc.integer({ min: -3, max: 3 }),
);
const list = fc.array(wild, { maxLength: 8 });
const labels = fc.array(fc.constantFrom<number | boolean>(0, 1, true, false, 1, 0), { maxLength: 8 });
const counts = fc.array(fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 4 }), { maxLength: 5 });
const table = fc.array(fc.array(wild, { minLength: 3, maxLength: 4 }), { maxLength: 5 });
const cube = fc.array(fc.array(fc.array(wild, { minLength: 2, maxLength: 2 }), { minLength: 2, maxLength: 3 }), {
  maxLength: 4,
});
const rng = createRng('wild');

/** Fails when `call` throws anything but a RedefError, or returns a NaN anywhere. */
function holds(call: () => unknown): void {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    if (!RedefError.isInstance(error)) throw error;
    return;
  }
  const seen = (value: unknown): boolean =>
    Number.isNaN(value) || (typeof value === 'object' && value !== null && Object.values(value).some(seen));
  if (seen(result)) expect.fail(`NaN in ${JSON.stringify(result)}`);
}

test('whatever the values, there is a RedefError or a result without NaN', () => {
  fc.assert(
    fc.property(list, list, labels, (a, b, truth) => {
      const n = Math.min(a.length, b.length);
      const [x, y] = [a.slice(0, n), b.slice(0, n)];
      for (const alternative of ['two-sided', 'greater', 'less'] as const) {
        holds(() => stats.pairedTTest(x, y, { alternative }));
        holds(() => stats.wilcoxonSignedRank(x, y, { alternative }));
        holds(() => stats.wilcoxonSignedRank(x, y, { alternative, method: 'normal', zeroMethod: 'pratt' }));
        holds(() => stats.wilcoxonSignedRank(x, y, { alternative, method: 'normal', zeroMethod: 'zsplit' }));
        holds(() => stats.signFlipTest(x, y, { alternative, rng, resamples: 9 }));
      }
      holds(() => stats.bootstrapMeanDifference(x, y, { rng, resamples: 20 }));
      holds(() => stats.bootstrapMeanDifference(x, y, { rng, resamples: 20, interval: 'bca' }));
      holds(() => stats.equivalenceTest(x, y, { margin: 0.5 }));
      holds(() => stats.bayesianComparison(x, y, { rope: 0.5 }));
      holds(() => stats.cohensDz(x, y));
      holds(() => stats.cliffsDelta(a, b));
      const m = Math.min(n, truth.length);
      const [labelled, first, second] = [truth.slice(0, m), a.slice(0, m), b.slice(0, m)];
      holds(() => stats.metrics(labelled, first));
      holds(() => stats.bestThreshold(labelled, first));
      holds(() => stats.deLongTest(labelled, first, second));
      holds(() => stats.calibration(labelled, first, { strategy: 'quantile' }));
      holds(() => stats.effortMetrics(labelled, first, second));
      holds(() => stats.mcNemarTest(labelled, truth.slice(truth.length - m)));
      holds(() => stats.cohensKappa(first, second));
      holds(() => stats.holm(a));
      holds(() => stats.wilsonInterval(a[0] ?? 1, b[0] ?? 2));
      holds(() => stats.clopperPearsonInterval(a[0] ?? 1, b[0] ?? 2));
    }),
    { numRuns: 400 },
  );
});

test('whatever the tables, there is a RedefError or a result without NaN', () => {
  const factors: [stats.Factor, stats.Factor] = [{ name: 'a' }, { name: 'b' }];
  fc.assert(
    fc.property(cube, table, counts, (values, rows, ratings) => {
      holds(() => stats.rmAnova2(values, { factors }));
      holds(() => stats.postHocPairs(values, { factors, compare: 'b' }));
      holds(() => stats.friedmanTest(rows));
      holds(() => stats.nemenyiTest(rows));
      holds(() => stats.fleissKappa(ratings));
      for (const level of ['nominal', 'ordinal', 'interval', 'ratio'] as const) {
        holds(() => stats.krippendorffAlpha(rows, { level }));
      }
    }),
    { numRuns: 200 },
  );
});

test('whatever is planned, there is a RedefError or a result without NaN, soon', () => {
  const positive = fc.oneof(wild, fc.double({ min: 1e-3, max: 10, noNaN: true }));
  const probability = fc.oneof(wild, fc.double({ min: 1e-12, max: 1, noNaN: true }));
  fc.assert(
    fc.property(
      positive,
      positive,
      probability,
      probability,
      fc.integer({ min: -1, max: 1000 }),
      (d, sd, alpha, power, n) => {
        const design = { standardDeviation: sd, alpha, power };
        holds(() => stats.pairedTTestPower({ ...design, n, difference: d }));
        holds(() => stats.minimumDetectableDifference({ ...design, n }));
        holds(() => stats.seedsNeeded({ ...design, difference: d, alternative: 'greater' }));
      },
    ),
    { numRuns: 150 },
  );
});
