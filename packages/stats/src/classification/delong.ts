import {
  fail,
  type Numbers,
  requireFinite,
  requireOneOf,
  requireOptions,
  requireProbability,
  requireSameLength,
} from '../checks.js';
import { mean } from '../moments.js';
import { midranks } from '../ranks.js';
import { type Alternative, alternatives, type Interval, type ResultHeader } from '../result.js';
import { normalUpperQuantile } from '../special/quantiles.js';
import { normalTail } from '../special/tails.js';
import { isPositive, type Labels } from './score-sweep.js';

export interface DeLongOptions {
  /** Default `'two-sided'`; `'greater'`: the first has the larger area. */
  alternative?: Alternative;
  /** Of the interval. Default 0.95. */
  level?: number;
}

export interface DeLongResult extends ResultHeader {
  kind: 'delong';
  alternative: Alternative;
  areaFirst: number;
  areaSecond: number;
  /** areaFirst - areaSecond, with its interval. */
  difference: number;
  standardError: number;
  interval: Interval;
  z: number;
  p: number;
}

/**
 * DeLong, DeLong and Clarke-Pearson's test (1988) of two ROC areas over the same items, by mid-ranks (Sun and Xu, 2014).
 * Needs two items of each class or more, and scores that do not rank them alike. The interval has two ends whatever the
 * alternative.
 */
export function deLongTest(truth: Labels, first: Numbers, second: Numbers, options: DeLongOptions = {}): DeLongResult {
  const { alternative = 'two-sided', level = 0.95 } = requireOptions(options);
  requireOneOf(alternative, alternatives, 'alternative');
  requireProbability(level, 'level');
  requireSameLength(truth, first, ['truth', 'first']);
  requireSameLength(truth, second, ['truth', 'second']);
  requireFinite(first, 'first');
  requireFinite(second, 'second');
  const positives: number[] = [];
  const negatives: number[] = [];
  for (let i = 0; i < truth.length; i++) (isPositive(truth[i], i) ? positives : negatives).push(i);
  if (positives.length < 2 || negatives.length < 2) {
    fail(
      'too-few-items',
      `DeLong's test needs 2 items of each class, got ${positives.length} positives and ${negatives.length} negatives`,
      'Score a set that has both classes.',
    );
  }
  const one = placements(first, positives, negatives);
  const two = placements(second, positives, negatives);
  const varianceOf = (a: Float64Array, b: Float64Array): number => {
    const differences = a.map((value, i) => value - b[i]!);
    const centre = mean(differences);
    const squares = differences.reduce((sum, d) => sum + (d - centre) ** 2, 0);
    return squares / (differences.length - 1) / differences.length;
  };
  const variance = varianceOf(one.positives, two.positives) + varianceOf(one.negatives, two.negatives);
  if (variance < 1e-30) {
    fail(
      'no-variation',
      `The difference between the two areas, ${mean(one.positives)} and ${mean(two.positives)}, is the same for every item, so it has no spread and z does not exist`,
      'Report the two areas as they are; if they are equal, check that the two columns are not the same model.',
    );
  }
  const areaFirst = mean(one.positives);
  const areaSecond = mean(two.positives);
  const difference = areaFirst - areaSecond;
  const standardError = Math.sqrt(variance);
  const z = difference / standardError;
  const margin = standardError * normalUpperQuantile((1 - level) / 2);
  return {
    kind: 'delong',
    method: 'DeLong’s test of two paired ROC areas',
    n: truth.length,
    alternative,
    assumptions: ['items are independent of each other', 'the areas are normally distributed, so items are many'],
    areaFirst,
    areaSecond,
    difference,
    standardError,
    interval: { level, low: difference - margin, high: difference + margin },
    z,
    p: alternative === 'two-sided' ? 2 * normalTail(Math.abs(z)) : normalTail(alternative === 'greater' ? z : -z),
  };
}

/** Of each positive, the share of negatives it outscores, ties half; of each negative, the share of positives that outscore it. */
function placements(scores: Numbers, positives: readonly number[], negatives: readonly number[]) {
  const pick = (items: readonly number[]) => items.map((i) => scores[i]!);
  const own = midranks(pick(positives)).ranks;
  const ownNegative = midranks(pick(negatives)).ranks;
  const all = midranks(pick([...positives, ...negatives])).ranks;
  const m = positives.length;
  const n = negatives.length;
  return {
    positives: own.map((rank, i) => (all[i]! - rank) / n),
    negatives: ownNegative.map((rank, j) => 1 - (all[m + j]! - rank) / m),
  };
}
