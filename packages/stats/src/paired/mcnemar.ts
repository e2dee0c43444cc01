import { fail, requireOneOf, requireOptions, requireSameLength } from '../checks.js';
import { isPositive, type Labels } from '../classification/score-sweep.js';
import type { ResultHeader } from '../result.js';
import { incompleteBeta } from '../special/beta.js';
import { logGamma } from '../special/gamma.js';
import { chiSquaredTail } from '../special/tails.js';

const methods = ['exact', 'mid-p', 'chi-squared'] as const;

export interface McNemarOptions {
  /** `'exact'` (default) binomial; `'mid-p'`, less conservative (Fagerland et al., 2013); `'chi-squared'` for large counts. */
  method?: (typeof methods)[number];
  /** Continuity correction of `'chi-squared'`. Default true. */
  continuity?: boolean;
}

export interface McNemarResult extends ResultHeader {
  kind: 'mcnemar';
  alternative: 'two-sided';
  /** Items that only the first, or only the second, got right. */
  onlyFirst: number;
  onlySecond: number;
  p: number;
  /** Of `'chi-squared'` only. */
  chiSquared?: number;
}

/**
 * McNemar's test (1947) of two classifiers on the same items: `first[i]` says whether the first got item i right. Throws
 * when they never differ in that.
 */
export function mcNemarTest(first: Labels, second: Labels, options: McNemarOptions = {}): McNemarResult {
  const { method = 'exact', continuity = true } = requireOptions(options);
  requireOneOf(method, methods, 'method');
  requireSameLength(first, second, ['first', 'second']);
  let onlyFirst = 0;
  let onlySecond = 0;
  for (let i = 0; i < first.length; i++) {
    const right = isPositive(first[i], i, 'first');
    if (right !== isPositive(second[i], i, 'second')) right ? onlyFirst++ : onlySecond++;
  }
  const discordant = onlyFirst + onlySecond;
  if (discordant === 0) {
    fail(
      'all-differences-zero',
      `The two are right and wrong on the same items, all ${first.length} of them, so there is nothing to test`,
      'Report their common accuracy.',
    );
  }
  const result = {
    kind: 'mcnemar' as const,
    n: first.length,
    alternative: 'two-sided' as const,
    assumptions: ['items are independent of each other', 'both were scored on the same items'],
    onlyFirst,
    onlySecond,
  };
  if (method === 'chi-squared') {
    const gap = Math.abs(onlyFirst - onlySecond);
    const chiSquared = Math.max(0, continuity ? gap - 1 : gap) ** 2 / discordant;
    return {
      ...result,
      method: `McNemar’s test, chi-squared${continuity ? ' with continuity correction' : ''}`,
      chiSquared,
      p: chiSquaredTail(chiSquared, 1),
    };
  }
  const fewer = Math.min(onlyFirst, onlySecond);
  const both = 2 * binomialHalfLowerTail(fewer, discordant);
  if (method === 'exact') return { ...result, method: 'McNemar’s test, exact', p: Math.min(1, both) };
  const point = Math.exp(
    logGamma(discordant + 1) - logGamma(fewer + 1) - logGamma(discordant - fewer + 1) - discordant * Math.LN2,
  );
  return { ...result, method: 'McNemar’s test, mid-p', p: Math.min(1, both - point) };
}

/** P(X <= k) of X ~ Binomial(n, 1/2), k < n. */
function binomialHalfLowerTail(k: number, n: number): number {
  return incompleteBeta(n - k, k + 1, 0.5);
}
