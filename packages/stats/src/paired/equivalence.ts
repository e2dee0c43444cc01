import { fail, isNumber, type Numbers, requireOptions, requireProbability } from '../checks.js';
import { mean, sampleDeviation } from '../moments.js';
import type { Interval, ResultHeader } from '../result.js';
import { studentUpperQuantile } from '../special/quantiles.js';
import { studentTail } from '../special/tails.js';
import { spreadDifferences } from './differences.js';

const largest = Number.MAX_VALUE;

/** A region around zero: one number for [-margin, margin], or both ends. */
export type Region = number | readonly [low: number, high: number];

export function regionEnds(region: Region, name: string): [low: number, high: number] {
  const [low, high] = typeof region === 'number' ? [-region, region] : Array.isArray(region) ? region : [];
  if (!isNumber(low, -largest, largest) || !isNumber(high, -largest, largest) || low >= high) {
    fail(
      'invalid-option',
      `${name} must be a positive number or [low, high] with low < high, got ${String(region)}`,
      'State before the runs which difference would be too small to matter, such as 0.01 of F1.',
    );
  }
  return [low, high];
}

export interface EquivalenceOptions {
  /** Differences within it count as none: state it before the runs. */
  margin: Region;
  /** Default 0.05. */
  alpha?: number;
}

export interface EquivalenceResult extends ResultHeader {
  kind: 'equivalence-test';
  meanDifference: number;
  margin: readonly [low: number, high: number];
  df: number;
  /** Of the test that the mean difference is above the low end, and of the one that it is below the high end. */
  tLow: number;
  pLow: number;
  tHigh: number;
  pHigh: number;
  /** The larger of the two. */
  p: number;
  alpha: number;
  /** True when p < alpha; then the interval lies within the margin. */
  equivalent: boolean;
  /** At level 1 - 2 alpha. */
  interval: Interval;
}

/**
 * Two one-sided paired t-tests (Schuirmann, 1987): is the mean of a - b within the margin? "No significant difference" does
 * not say so, and it is what "performance remains unchanged" (ReDef, RQ3) asks.
 */
export function equivalenceTest(a: Numbers, b: Numbers, options: EquivalenceOptions): EquivalenceResult {
  const { margin, alpha = 0.05 } = requireOptions(options);
  const [low, high] = regionEnds(margin, 'margin');
  requireProbability(alpha, 'alpha');
  requireProbability(2 * alpha, '2 alpha');
  const differences = spreadDifferences(a, b);
  const n = differences.length;
  const df = n - 1;
  const meanDifference = mean(differences);
  const standardError = sampleDeviation(differences) / Math.sqrt(n);
  const tLow = (meanDifference - low) / standardError;
  const tHigh = (meanDifference - high) / standardError;
  const pLow = studentTail(tLow, df);
  const pHigh = studentTail(-tHigh, df);
  const p = Math.max(pLow, pHigh);
  const half = standardError * studentUpperQuantile(alpha, df);
  return {
    kind: 'equivalence-test',
    method: 'Two one-sided paired t-tests (TOST)',
    n,
    assumptions: ['pairs are independent of each other', 'differences are normally distributed'],
    meanDifference,
    margin: [low, high],
    df,
    tLow,
    pLow,
    tHigh,
    pHigh,
    p,
    alpha,
    equivalent: p < alpha,
    interval: { level: 1 - 2 * alpha, low: meanDifference - half, high: meanDifference + half },
  };
}
