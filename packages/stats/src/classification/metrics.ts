import { fail, type Numbers, requireOneOf, requireOptions } from '../checks.js';
import type { ResultHeader } from '../result.js';
import { type PrAucMethod, prAucMethods, precisionRecallArea, rocArea } from './areas.js';
import { type Confusion, type RateName, rates } from './confusion.js';
import { type Labels, type ScoresByClass, scoresByClass } from './score-sweep.js';

export interface MetricsOptions {
  /** An item is predicted positive when its score is this or more. Default 0.5. */
  threshold?: number;
  /** Default `'average-precision'`. */
  prAucMethod?: PrAucMethod;
}

export type MetricName = RateName | 'prAuc' | 'rocAuc' | 'brier';

export interface Metrics extends ResultHeader, Confusion, Record<MetricName, number> {
  kind: 'metrics';
  threshold: number;
  prAucMethod: PrAucMethod;
  /**
   * The metrics that the data does not define, each with the reason. Their values are then: 0 for accuracy, precision,
   * recall, specificity, F1, MCC and PR-AUC; 0.5 for ROC-AUC; 1, the worst, for the Brier score of scores that are not
   * probabilities; the recall of the one class that is there for balanced accuracy.
   */
  undefinedBecause: Partial<Record<MetricName, string>>;
}

/** The five metrics of ReDef, section 4.3, and the usual companions, of scores against the truth. Sorts each class once. */
export function metrics(truth: Labels, scores: Numbers, options: MetricsOptions = {}): Metrics {
  const { threshold = 0.5, prAucMethod = 'average-precision' } = requireOptions(options);
  requireOneOf(prAucMethod, prAucMethods, 'prAucMethod');
  if (typeof threshold !== 'number' || Number.isNaN(threshold)) {
    fail('invalid-option', `threshold must be a number, got ${String(threshold)}`, 'Pass threshold: 0.5.');
  }
  const byClass = scoresByClass(truth, scores);
  const { positives, negatives } = byClass;
  const truePositives = atLeast(positives, threshold);
  const falsePositives = atLeast(negatives, threshold);
  const confusion = {
    truePositives,
    falsePositives,
    trueNegatives: negatives.length - falsePositives,
    falseNegatives: positives.length - truePositives,
  };
  const { undefinedBecause, ...values } = rates(confusion);
  const reasons: Metrics['undefinedBecause'] = { ...undefinedBecause };
  if (positives.length === 0) reasons.prAuc = reasons.rocAuc = 'there are no positives';
  if (negatives.length === 0) reasons.rocAuc = 'there are no negatives';
  const probabilities = [positives, negatives].every((s) => s.length === 0 || (s[0]! >= 0 && s[s.length - 1]! <= 1));
  if (!probabilities) reasons.brier = 'the scores are not probabilities';
  return {
    kind: 'metrics',
    method: 'Binary classification metrics',
    n: truth.length,
    assumptions: ['items are scored independently of each other', `predicted positive means score >= ${threshold}`],
    threshold,
    prAucMethod,
    ...confusion,
    ...values,
    prAuc: precisionRecallArea(byClass, prAucMethod),
    rocAuc: rocArea(byClass),
    brier: probabilities ? brierOf(byClass) : 1,
    undefinedBecause: reasons,
  };
}

/** How many of the ascending scores are `threshold` or more. */
function atLeast(ascending: Float64Array, threshold: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! >= threshold) high = middle;
    else low = middle + 1;
  }
  return ascending.length - low;
}

function brierOf({ positives, negatives }: ScoresByClass): number {
  let sum = 0;
  for (const probability of positives) sum += (1 - probability) ** 2;
  for (const probability of negatives) sum += probability ** 2;
  return sum / (positives.length + negatives.length);
}
