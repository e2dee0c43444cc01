import { fail, requireOneOf, requireOptions, requireProbability, requireSameLength } from '../checks.js';
import type { Interval, ResultHeader } from '../result.js';
import { normalUpperQuantile } from '../special/quantiles.js';
import { type Category, requireCategories } from './categories.js';

const weightings = ['none', 'linear', 'quadratic'] as const;

export interface CohensKappaOptions<C extends Category = Category> {
  /** How much a disagreement counts by its distance in the list of categories. Default `'none'`: all alike. */
  weights?: (typeof weightings)[number];
  /** The categories in order. Needed for weights unless they are numbers; by default those seen, numbers ascending. */
  categories?: readonly C[];
  /** Of the interval. Default 0.95. */
  level?: number;
}

export interface CohensKappaResult extends ResultHeader {
  kind: 'cohens-kappa';
  kappa: number;
  /** Weighted share of agreement, and that expected by chance from the raters' own rates. */
  observedAgreement: number;
  expectedAgreement: number;
  /** Large-sample standard error (Fleiss, Cohen and Everitt, 1969). */
  standardError: number;
  /** By the standard error, cut off at -1 and 1, beyond which no kappa lies. */
  interval: Interval;
  weights: (typeof weightings)[number];
  categories: readonly Category[];
}

/**
 * Cohen's kappa (1960; weighted, 1968) of two raters over the same items. Throws when both raters used one and the same
 * category throughout: chance agreement is 1 then and kappa 0/0.
 */
export function cohensKappa<C extends Category>(
  a: ArrayLike<C>,
  b: ArrayLike<C>,
  options: CohensKappaOptions<C> = {},
): CohensKappaResult {
  const { weights = 'none', categories, level = 0.95 } = requireOptions(options);
  requireCategories(categories);
  requireSameLength(a, b, ['a', 'b']);
  requireOneOf(weights, weightings, 'weights');
  requireProbability(level, 'level');
  const n = a.length;
  if (n === 0) fail('no-items', 'a and b are empty', 'Pass the ratings of at least one item.');
  for (const [ratings, name] of [
    [a, 'a'],
    [b, 'b'],
  ] as const) {
    const missing = Array.from(ratings).findIndex((rating) => !isRating(rating));
    if (missing !== -1) {
      fail(
        'missing-rating',
        `${name}[${missing}] is ${String(ratings[missing])}, not a rating`,
        'Leave the item out for both raters, or use krippendorffAlpha, which allows missing ratings.',
      );
    }
  }
  const order: readonly C[] = categories ?? categoriesSeen(a, b, weights !== 'none');
  const k = order.length;
  const position = new Map<C | undefined, number>(order.map((category, i) => [category, i]));
  const indexOf = (ratings: ArrayLike<C>, name: string, i: number): number =>
    position.get(ratings[i]) ??
    fail(
      'unknown-category',
      `${name}[${i}] is ${String(ratings[i])}, which is not one of the categories ${order.join(', ')}`,
      'Add it to categories, or leave the item out.',
    );

  const share = Array.from({ length: k }, () => new Float64Array(k));
  for (let item = 0; item < n; item++) share[indexOf(a, 'a', item)]![indexOf(b, 'b', item)]! += 1;
  for (const row of share) for (let j = 0; j < k; j++) row[j]! /= n;
  const rowShare = share.map((row) => row.reduce((sum, s) => sum + s, 0));
  const columnShare = order.map((_, j) => share.reduce((sum, row) => sum + row[j]!, 0));
  const weight = (i: number, j: number): number => {
    if (weights === 'none') return i === j ? 1 : 0;
    const distance = Math.abs(i - j) / (k - 1);
    return 1 - (weights === 'linear' ? distance : distance ** 2);
  };
  const overCells = (value: (i: number, j: number) => number): number => {
    let sum = 0;
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) sum += value(i, j);
    return sum;
  };
  if (rowShare.some((r, i) => r > 1 - 0.5 / n && columnShare[i]! > 1 - 0.5 / n)) {
    fail(
      'no-variation',
      `Both raters put all ${n} items into the same category, so kappa is 0/0`,
      'Report the observed agreement (1) with its Wilson interval instead.',
    );
  }
  const observed = overCells((i, j) => weight(i, j) * share[i]![j]!);
  const expected = overCells((i, j) => weight(i, j) * rowShare[i]! * columnShare[j]!);
  const kappa = (observed - expected) / (1 - expected);

  // The delta method: the spread over cells of each cell's pull on kappa.
  const rowWeight = rowShare.map((_, i) => columnShare.reduce((sum, s, j) => sum + s * weight(i, j), 0));
  const columnWeight = columnShare.map((_, j) => rowShare.reduce((sum, s, i) => sum + s * weight(i, j), 0));
  const pull = (i: number, j: number) => weight(i, j) - (rowWeight[i]! + columnWeight[j]!) * (1 - kappa);
  const meanPull = overCells((i, j) => share[i]![j]! * pull(i, j));
  const spread = overCells((i, j) => share[i]![j]! * (pull(i, j) - meanPull) ** 2);
  const standardError = Math.sqrt(spread / n) / (1 - expected);
  const margin = standardError * normalUpperQuantile((1 - level) / 2);
  return {
    kind: 'cohens-kappa',
    method: weights === 'none' ? "Cohen's kappa" : `Cohen's kappa with ${weights} weights`,
    n,
    assumptions: ['items are independent of each other', 'the two raters rated without seeing each other'],
    kappa,
    observedAgreement: observed,
    expectedAgreement: expected,
    standardError,
    interval: { level, low: Math.max(-1, kappa - margin), high: Math.min(1, kappa + margin) },
    weights,
    categories: order,
  };
}

function categoriesSeen<C extends Category>(a: ArrayLike<C>, b: ArrayLike<C>, ordered: boolean): C[] {
  const seen = [...new Set([...Array.from(a), ...Array.from(b)])];
  if (seen.every((category) => typeof category === 'number')) return seen.sort((x, y) => Number(x) - Number(y));
  if (ordered) {
    fail(
      'invalid-option',
      'Weights need the order of the categories',
      "Pass categories: ['low', 'medium', 'high'], say.",
    );
  }
  return seen;
}

/** False for what a JavaScript caller may pass besides: null, undefined, NaN. */
const isRating = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && !Number.isNaN(value);
