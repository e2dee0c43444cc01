import { type Numbers, requireOneOf, requireOptions, requireProbability } from '../checks.js';
import { mean, sampleDeviation } from '../moments.js';
import { type Alternative, alternatives, type Interval, type ResultHeader } from '../result.js';
import { studentUpperQuantile } from '../special/quantiles.js';
import { studentTail } from '../special/tails.js';
import { spreadDifferences } from './differences.js';

export interface PairedTTestOptions {
  /** Default `'two-sided'`. ReDef's RQ3 asks `'greater'` with a = original, b = perturbed. */
  alternative?: Alternative;
  /** Of the confidence interval. Default 0.95. */
  level?: number;
}

export interface PairedTTestResult extends ResultHeader {
  kind: 'paired-t-test';
  alternative: Alternative;
  t: number;
  df: number;
  p: number;
  /** Mean of a - b. */
  meanDifference: number;
  /** Of the differences, divisor n - 1. */
  standardDeviation: number;
  standardError: number;
  /** Of the mean difference; one end is infinite when the alternative is one-sided, as in R. */
  interval: Interval;
  /** Mean difference over the standard deviation of the differences (ReDef, section 4.4). */
  cohensDz: number;
}

/** Student's t-test on the differences a - b of pairs. Throws on fewer than two pairs and on differences without spread. */
export function pairedTTest(a: Numbers, b: Numbers, options: PairedTTestOptions = {}): PairedTTestResult {
  const { alternative = 'two-sided', level = 0.95 } = requireOptions(options);
  requireOneOf(alternative, alternatives, 'alternative');
  requireProbability(level, 'level');
  const differences = spreadDifferences(a, b);
  const n = differences.length;
  const df = n - 1;
  const meanDifference = mean(differences);
  const sd = sampleDeviation(differences);
  const standardError = sd / Math.sqrt(n);
  const t = meanDifference / standardError;
  const p =
    alternative === 'two-sided'
      ? 2 * studentTail(Math.abs(t), df)
      : studentTail(alternative === 'greater' ? t : -t, df);
  const twoSided = alternative === 'two-sided';
  const margin = standardError * studentUpperQuantile(twoSided ? (1 - level) / 2 : 1 - level, df);
  return {
    kind: 'paired-t-test',
    method: 'Paired t-test',
    n,
    alternative,
    assumptions: ['pairs are independent of each other', 'differences are normally distributed'],
    t,
    df,
    p,
    meanDifference,
    standardDeviation: sd,
    standardError,
    interval: {
      level,
      low: alternative === 'less' ? Number.NEGATIVE_INFINITY : meanDifference - margin,
      high: alternative === 'greater' ? Number.POSITIVE_INFINITY : meanDifference + margin,
    },
    cohensDz: meanDifference / sd,
  };
}
