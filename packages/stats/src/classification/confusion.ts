import { requireCount, requireOptions } from '../checks.js';

/** Counts of a two-class table, whole numbers from 0. */
export interface Confusion {
  truePositives: number;
  falsePositives: number;
  trueNegatives: number;
  falseNegatives: number;
}

export type RateName = 'accuracy' | 'precision' | 'recall' | 'specificity' | 'f1' | 'mcc' | 'balancedAccuracy';

export interface Rates extends Record<RateName, number> {
  /** Why a rate has no value of its own, such as `precision: 'nothing was predicted positive'`. Its value is then as documented. */
  undefinedBecause: Partial<Record<RateName, string>>;
}

/**
 * The rates of a confusion table (ReDef, section 4.3, equations 1 to 3). A rate that would divide by zero is 0 and named
 * in `undefinedBecause`; balanced accuracy is then the recall of the class that is there, as in scikit-learn.
 */
export function rates(confusion: Confusion): Rates {
  const { truePositives, falsePositives, trueNegatives, falseNegatives } = requireOptions(confusion, 'counts');
  for (const name of ['truePositives', 'falsePositives', 'trueNegatives', 'falseNegatives'] as const) {
    requireCount(confusion[name], name, 0, 1e15);
  }
  const positives = truePositives + falseNegatives;
  const negatives = trueNegatives + falsePositives;
  const predicted = truePositives + falsePositives;
  const rejected = trueNegatives + falseNegatives;
  const undefinedBecause: Rates['undefinedBecause'] = {};
  const ratio = (numerator: number, denominator: number, name: RateName, reason: string): number => {
    if (denominator !== 0) return numerator / denominator;
    undefinedBecause[name] = reason;
    return 0;
  };

  const covariance = truePositives * trueNegatives - falsePositives * falseNegatives;
  const noPositives = 'there are no positives';
  const noNegatives = 'there are no negatives';
  const recall = ratio(truePositives, positives, 'recall', noPositives);
  const specificity = ratio(trueNegatives, negatives, 'specificity', noNegatives);
  if (positives === 0 || negatives === 0)
    undefinedBecause.balancedAccuracy = positives === 0 ? noPositives : noNegatives;
  return {
    accuracy: ratio(truePositives + trueNegatives, positives + negatives, 'accuracy', 'there are no items'),
    precision: ratio(truePositives, predicted, 'precision', 'nothing was predicted positive'),
    recall,
    specificity,
    f1: ratio(
      2 * truePositives,
      positives + predicted,
      'f1',
      'there are no positives and nothing was predicted positive',
    ),
    mcc: Math.max(
      -1,
      Math.min(
        1,
        ratio(
          covariance,
          // paired so that the roots are of squares where every item is right, or every one wrong: then it is 1 or -1 exactly
          covariance > 0
            ? Math.sqrt(positives * predicted) * Math.sqrt(negatives * rejected)
            : Math.sqrt(positives * rejected) * Math.sqrt(negatives * predicted),
          'mcc',
          positives === 0 || negatives === 0 ? 'the truth has one class only' : 'one class only was predicted',
        ),
      ),
    ),
    balancedAccuracy: positives === 0 ? specificity : negatives === 0 ? recall : (recall + specificity) / 2,
    undefinedBecause,
  };
}
