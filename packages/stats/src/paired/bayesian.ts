import { fail, isNumber, type Numbers, requireOptions, requireProbability } from '../checks.js';
import { mean, sampleVariance } from '../moments.js';
import type { Interval, ResultHeader } from '../result.js';
import { studentUpperQuantile } from '../special/quantiles.js';
import { studentTail } from '../special/tails.js';
import { spreadDifferences } from './differences.js';
import { type Region, regionEnds } from './equivalence.js';

export interface BayesianComparisonOptions {
  /** Region of practical equivalence: differences within it do not matter. */
  rope: Region;
  /** Of the credible interval. Default 0.95. */
  level?: number;
  /**
   * Correlation between the pairs' differences. 0, the default, for separate seeds; the test share, 0.1 say, for the
   * folds of a cross-validation (Nadeau and Bengio, 2003).
   */
  correlation?: number;
}

export interface BayesianComparisonResult extends ResultHeader {
  kind: 'bayesian-comparison';
  meanDifference: number;
  rope: readonly [low: number, high: number];
  /** Posterior chances that the mean of a - b lies below, within and above the region; they sum to 1. */
  pBelow: number;
  pWithin: number;
  pAbove: number;
  interval: Interval;
  correlation: number;
}

/**
 * The posterior of the mean of a - b under the prior that knows nothing (Benavoli et al., 2017, sections 3.1 and 3.2): a Student
 * t about the mean difference, cut at the region of practical equivalence.
 */
export function bayesianComparison(
  a: Numbers,
  b: Numbers,
  options: BayesianComparisonOptions,
): BayesianComparisonResult {
  const { level = 0.95, correlation = 0 } = requireOptions(options);
  const [low, high] = regionEnds(options.rope, 'rope');
  requireProbability(level, 'level');
  if (!isNumber(correlation, 0, 1) || correlation === 1) {
    fail(
      'invalid-option',
      `correlation must lie from 0 to below 1, got ${String(correlation)}`,
      'Pass 0 for separate seeds.',
    );
  }
  const differences = spreadDifferences(a, b);
  const n = differences.length;
  const df = n - 1;
  const meanDifference = mean(differences);
  const scale = Math.sqrt(sampleVariance(differences) * (1 / n + correlation / (1 - correlation)));
  const tLow = (low - meanDifference) / scale;
  const tHigh = (high - meanDifference) / scale;
  const pBelow = studentTail(-tLow, df);
  const pAbove = studentTail(tHigh, df);
  const half = scale * studentUpperQuantile((1 - level) / 2, df);
  return {
    kind: 'bayesian-comparison',
    method: 'Bayesian paired comparison with a region of practical equivalence',
    n,
    assumptions: ['differences are normally distributed', 'the prior is flat in the mean and the log deviation'],
    meanDifference,
    rope: [low, high],
    pBelow,
    // From the tails on the side that holds the region, so that a small chance keeps its digits.
    pWithin:
      tLow >= 0 ? studentTail(tLow, df) - pAbove : tHigh <= 0 ? studentTail(-tHigh, df) - pBelow : 1 - pBelow - pAbove,
    pAbove,
    interval: { level, low: meanDifference - half, high: meanDifference + half },
    correlation,
  };
}
