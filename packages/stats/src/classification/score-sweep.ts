import { fail, type Numbers, requireFinite, requireSameLength } from '../checks.js';

/** True labels: 1 or true for the positive class (defective), 0 or false for the negative one. */
export type Labels = ArrayLike<number | boolean>;

export interface ScoresByClass {
  /** Scores of the positives, ascending. */
  positives: Float64Array;
  /** Scores of the negatives, ascending. */
  negatives: Float64Array;
}

/** True for a positive. Throws on anything but 0, 1 and booleans. */
export function isPositive(label: number | boolean | undefined, index: number, name = 'truth'): boolean {
  if (label === 1 || label === true) return true;
  if (label === 0 || label === false) return false;
  return fail(
    'invalid-label',
    `${name}[${index}] must be 0, 1, false or true, got ${String(label)}`,
    'Map the two classes to 0 and 1, with 1 for the class that is looked for.',
  );
}

/** Checks labels and scores and parts the scores by class: two plain sorts, no sort of indices. */
export function scoresByClass(truth: Labels, scores: Numbers): ScoresByClass {
  requireSameLength(truth, scores, ['truth', 'scores']);
  const n = truth.length;
  if (n === 0) fail('no-items', 'truth and scores are empty', 'Score at least one item.');
  const buffer = new Float64Array(n); // positives from the front, negatives from the back
  let positives = 0;
  let back = n;
  for (let i = 0; i < n; i++) {
    const score = scores[i]!;
    if (!Number.isFinite(score)) requireFinite(scores, 'scores');
    if (isPositive(truth[i], i)) buffer[positives++] = score;
    else buffer[--back] = score;
  }
  return { positives: buffer.subarray(0, positives).sort(), negatives: buffer.subarray(positives).sort() };
}

/**
 * Walks the distinct scores from high to low. At each, `visit` gets the counts of positives and negatives that score it
 * or more: the confusion counts of the rule `score >= threshold`. Tied scores are one step, as in scikit-learn.
 */
export function sweepThresholds(
  { positives, negatives }: ScoresByClass,
  visit: (threshold: number, truePositives: number, falsePositives: number) => void,
): void {
  let p = positives.length - 1;
  let n = negatives.length - 1;
  while (p >= 0 || n >= 0) {
    const threshold = p < 0 ? negatives[n]! : n < 0 ? positives[p]! : Math.max(positives[p]!, negatives[n]!);
    while (p >= 0 && positives[p]! >= threshold) p--;
    while (n >= 0 && negatives[n]! >= threshold) n--;
    visit(threshold, positives.length - 1 - p, negatives.length - 1 - n);
  }
}
