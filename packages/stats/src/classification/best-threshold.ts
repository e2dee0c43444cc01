import { fail, type Numbers, requireOneOf, requireOptions } from '../checks.js';
import { rates } from './confusion.js';
import { type Labels, scoresByClass, sweepThresholds } from './score-sweep.js';

const thresholdMetrics = ['f1', 'mcc', 'balancedAccuracy', 'accuracy'] as const;
export type ThresholdMetric = (typeof thresholdMetrics)[number];

export interface BestThreshold {
  /** One of the scores: predict positive when `score >= threshold`. */
  threshold: number;
  metric: ThresholdMetric;
  /** The metric at that threshold, on the data the threshold was chosen on. */
  value: number;
  n: number;
}

/**
 * The threshold that is best by `metric` (default F1) among the scores given. Choose it on validation data and apply it
 * to the test set: chosen on the test set it flatters. Of equally good thresholds the highest is taken. Throws unless
 * both classes are there.
 */
export function bestThreshold(
  truth: Labels,
  scores: Numbers,
  options: { metric?: ThresholdMetric } = {},
): BestThreshold {
  const { metric = 'f1' } = requireOptions(options);
  requireOneOf(metric, thresholdMetrics, 'metric');
  const byClass = scoresByClass(truth, scores);
  const { positives, negatives } = byClass;
  if (positives.length === 0 || negatives.length === 0) {
    fail(
      'one-class',
      `A threshold parts two classes, but all ${truth.length} items are of one`,
      'Choose the threshold on a validation set that has both classes.',
    );
  }
  let best = { threshold: 0, value: Number.NEGATIVE_INFINITY };
  sweepThresholds(byClass, (threshold, truePositives, falsePositives) => {
    const value = rates({
      truePositives,
      falsePositives,
      trueNegatives: negatives.length - falsePositives,
      falseNegatives: positives.length - truePositives,
    })[metric];
    if (value > best.value) best = { threshold, value };
  });
  return { ...best, metric, n: truth.length };
}
