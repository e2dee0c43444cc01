import { type Numbers, requireOneOf } from '../checks.js';
import { type Labels, type ScoresByClass, scoresByClass, sweepThresholds } from './score-sweep.js';

export const prAucMethods = ['average-precision', 'trapezoid'] as const;
/**
 * How the area under the precision-recall curve is summed: `'average-precision'` is Σ (R_k - R_{k-1}) P_k, with no
 * interpolation, scikit-learn's `average_precision_score`; `'trapezoid'` joins the points, from (recall 0, precision 1),
 * and is too kind by a little (Davis and Goadrich, 2006).
 */
export type PrAucMethod = (typeof prAucMethods)[number];

/** Area under the precision-recall curve (ReDef, section 4.3, equation 4); 0 when there is no positive. */
export function precisionRecallArea(byClass: ScoresByClass, method: PrAucMethod): number {
  const total = byClass.positives.length;
  if (total === 0) return 0;
  let area = 0;
  let recall = 0;
  let precision = 1;
  sweepThresholds(byClass, (_, truePositives, falsePositives) => {
    const nextRecall = truePositives / total;
    const nextPrecision = truePositives / (truePositives + falsePositives);
    const height = method === 'trapezoid' ? (precision + nextPrecision) / 2 : nextPrecision;
    area += (nextRecall - recall) * height;
    recall = nextRecall;
    precision = nextPrecision;
  });
  return area;
}

/** Area under the ROC curve: the chance that a positive outscores a negative, ties counting half; 0.5 when a class is missing. */
export function rocArea(byClass: ScoresByClass): number {
  const pairs = byClass.positives.length * byClass.negatives.length;
  if (pairs === 0) return 0.5;
  let doubled = 0;
  let before = 0; // false positives above this score
  let found = 0;
  sweepThresholds(byClass, (_, truePositives, falsePositives) => {
    doubled += (falsePositives - before) * (found + truePositives);
    before = falsePositives;
    found = truePositives;
  });
  return doubled / (2 * pairs);
}

/** Area under the precision-recall curve; 0 when there is no positive, which {@link metrics} flags. */
export function prAuc(truth: Labels, scores: Numbers, method: PrAucMethod = 'average-precision'): number {
  requireOneOf(method, prAucMethods, 'method');
  return precisionRecallArea(scoresByClass(truth, scores), method);
}

/** Area under the ROC curve; 0.5 when a class is missing. */
export function rocAuc(truth: Labels, scores: Numbers): number {
  return rocArea(scoresByClass(truth, scores));
}
