import type { Rng } from '@redef/core';
import { fail, type Numbers, requireCount, requireOneOf, requireOptions, requireRng } from '../checks.js';
import { mean } from '../moments.js';
import { type Alternative, alternatives, type ResultHeader } from '../result.js';

import { allZero, failAllZero, pairedDifferences } from './differences.js';

const methods = ['auto', 'exact', 'monte-carlo'] as const;
const largestExact = 24; // 2^24 flips take about a tenth of a second

export interface SignFlipOptions {
  rng: Rng;
  /** Default `'two-sided'`. */
  alternative?: Alternative;
  /** Random flips. Default 10,000. */
  resamples?: number;
  /** `'auto'`, the default, counts all 2^n flips when they are no more than `resamples`. */
  method?: (typeof methods)[number];
}

export interface SignFlipResult extends ResultHeader {
  kind: 'sign-flip-test';
  alternative: Alternative;
  meanDifference: number;
  p: number;
  exact: boolean;
  /** Flips that were counted: 2^n when exact. */
  resamples: number;
}

/**
 * Permutation test of the mean of a - b: under the null hypothesis each pair's sign is a coin's. The Monte Carlo p-value
 * counts the observed signs as one more flip, (extreme + 1) / (resamples + 1), so it is never 0 (Phipson and Smyth, 2010).
 */
export function signFlipTest(a: Numbers, b: Numbers, options: SignFlipOptions): SignFlipResult {
  const { rng, alternative = 'two-sided', resamples = 10_000, method = 'auto' } = requireOptions(options);
  requireRng(rng);
  requireOneOf(alternative, alternatives, 'alternative');
  requireOneOf(method, methods, 'method');
  requireCount(resamples, 'resamples', 1, 1e7);
  const found = pairedDifferences(a, b);
  const { values: differences } = found;
  const n = differences.length;
  const size = differences.reduce((sum, d) => sum + Math.abs(d), 0);
  if (allZero(found)) failAllZero(n, 'flipping signs changes nothing');
  if (method === 'exact' && n > largestExact) {
    fail(
      'invalid-option',
      `method 'exact' takes at most ${largestExact} pairs, got ${n}`,
      "Pass method: 'monte-carlo'.",
    );
  }
  const exact = method === 'exact' || (method === 'auto' && n <= largestExact && 2 ** n <= resamples);
  const observed = differences.reduce((sum, d) => sum + d, 0);
  const rounding = found.rounding.reduce((sum, r) => sum + r, 0);
  const slack = size * 1e-12 + rounding; // sums that differ by rounding alone are equal
  const isExtreme = (sum: number): boolean =>
    alternative === 'two-sided'
      ? Math.abs(sum) >= Math.abs(observed) - slack
      : alternative === 'greater'
        ? sum >= observed - slack
        : sum <= observed + slack;
  const counted = exact ? 2 ** n : resamples;
  const extreme = exact ? countAll(differences, isExtreme) : countRandom(differences, resamples, rng, isExtreme);
  return {
    kind: 'sign-flip-test',
    method: exact
      ? 'Sign-flip permutation test, all flips'
      : 'Sign-flip permutation test, random flips with the +1 rule',
    n,
    alternative,
    assumptions: [
      'pairs are independent of each other',
      'under the null hypothesis the differences are symmetric about zero',
    ],
    meanDifference: mean(differences),
    p: exact ? extreme / counted : (extreme + 1) / (counted + 1),
    exact,
    resamples: counted,
  };
}

function countAll(differences: Float64Array, isExtreme: (sum: number) => boolean): number {
  const visit = (index: number, sum: number): number => {
    if (index === differences.length) return isExtreme(sum) ? 1 : 0;
    const difference = differences[index]!;
    return visit(index + 1, sum + difference) + visit(index + 1, sum - difference);
  };
  return visit(0, 0);
}

function countRandom(
  differences: Float64Array,
  resamples: number,
  rng: Rng,
  isExtreme: (sum: number) => boolean,
): number {
  let count = 0;
  for (let r = 0; r < resamples; r++) {
    let sum = 0;
    let bits = 0;
    for (let i = 0; i < differences.length; i++) {
      if (i % 32 === 0) bits = rng.integer(2 ** 32);
      sum += (bits >>> (i % 32)) & 1 ? differences[i]! : -differences[i]!;
    }
    if (isExtreme(sum)) count++;
  }
  return count;
}
