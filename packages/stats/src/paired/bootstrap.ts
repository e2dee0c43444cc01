import type { Rng } from '@redef/core';
import { type Numbers, requireCount, requireOneOf, requireOptions, requireProbability, requireRng } from '../checks.js';
import { largestSize, mean, quantileOfSorted } from '../moments.js';
import type { Interval, ResultHeader } from '../result.js';
import { normalUpperQuantile } from '../special/quantiles.js';
import { normalTail } from '../special/tails.js';
import { spreadDifferences } from './differences.js';

const intervalMethods = ['percentile', 'bca'] as const;

export interface BootstrapOptions {
  rng: Rng;
  /** Default 10,000, as in ReDef, section 4.4. */
  resamples?: number;
  /** Default 0.95. */
  level?: number;
  /** `'percentile'` (default, as in ReDef) or `'bca'`, bias-corrected and accelerated (Efron, 1987). */
  interval?: (typeof intervalMethods)[number];
}

export interface BootstrapResult extends ResultHeader {
  kind: 'bootstrap-mean-difference';
  /** Mean of a - b over the pairs at hand. */
  meanDifference: number;
  interval: Interval;
  intervalMethod: (typeof intervalMethods)[number];
  /** Standard deviation of the resampled means. */
  standardError: number;
  resamples: number;
}

/** A bootstrap interval for the mean of a - b: whole pairs are drawn with replacement. Equal seeds give equal intervals. */
export function bootstrapMeanDifference(a: Numbers, b: Numbers, options: BootstrapOptions): BootstrapResult {
  const { rng, resamples = 10_000, level = 0.95, interval: intervalMethod = 'percentile' } = requireOptions(options);
  requireRng(rng);
  requireCount(resamples, 'resamples', 1, 1e7);
  requireProbability(level, 'level');
  requireOneOf(intervalMethod, intervalMethods, 'interval');
  const differences = spreadDifferences(a, b);
  const means = resampledMeans(differences, resamples, rng).sort();
  const meanDifference = mean(differences);
  const centre = mean(means);
  const squares = means.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return {
    kind: 'bootstrap-mean-difference',
    method: `Bootstrap of pairs, ${intervalMethod === 'bca' ? 'BCa' : 'percentile'} interval`,
    n: differences.length,
    assumptions: [
      'pairs are independent of each other',
      'the pairs at hand stand for those that could have been drawn',
    ],
    meanDifference,
    interval: intervalMethod === 'bca' ? bcaInterval(differences, means, level) : percentileInterval(means, level),
    intervalMethod,
    standardError: resamples > 1 ? Math.sqrt(squares / (resamples - 1)) : 0,
    resamples,
  };
}

function resampledMeans(values: Float64Array, resamples: number, rng: Rng): Float64Array {
  const n = values.length;
  const means = new Float64Array(resamples);
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[rng.integer(n)]!;
    means[r] = sum / n;
  }
  return means;
}

export function percentileInterval(sortedMeans: Float64Array, level: number): Interval {
  const tail = (1 - level) / 2;
  return { level, low: quantileOfSorted(sortedMeans, tail), high: quantileOfSorted(sortedMeans, 1 - tail) };
}

/** Efron and Tibshirani (1993), equations 14.9 to 14.15; resamples equal to the mean count half below it, as in SciPy. */
export function bcaInterval(differences: Float64Array, sortedMeans: Float64Array, level: number): Interval {
  const centre = mean(differences);
  const slack = 1e-12 * largestSize(differences); // means that differ by rounding alone are equal
  let below = 0;
  for (const value of sortedMeans) below += value < centre - slack ? 1 : value <= centre + slack ? 0.5 : 0;
  // With every resample on one side the correction would be infinite: the ends are the extremes then.
  const share = Math.min(Math.max(below / sortedMeans.length, 1e-300), 1 - 2 ** -53);
  const bias = -normalUpperQuantile(share);
  let cubes = 0;
  let squares = 0;
  for (const value of differences) {
    cubes += (value - centre) ** 3;
    squares += (value - centre) ** 2;
  }
  const acceleration = cubes / (6 * squares ** 1.5);
  const position = (tail: number) => {
    const z = bias - normalUpperQuantile(tail);
    return normalTail(-(bias + z / (1 - acceleration * z)));
  };
  const tail = (1 - level) / 2;
  return {
    level,
    low: quantileOfSorted(sortedMeans, position(tail)),
    high: quantileOfSorted(sortedMeans, position(1 - tail)),
  };
}
