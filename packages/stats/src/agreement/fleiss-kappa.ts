import { fail, type Numbers, requireArray } from '../checks.js';
import type { ResultHeader } from '../result.js';

export interface FleissKappaResult extends ResultHeader {
  kind: 'fleiss-kappa';
  kappa: number;
  observedAgreement: number;
  expectedAgreement: number;
  /** Ratings per subject. */
  raters: number;
  /** Share of all ratings that went to each category. */
  categoryShares: readonly number[];
}

/**
 * Fleiss' kappa (1971). `counts[subject][category]` is how many raters put the subject into the category; every subject
 * has the same number of ratings, two or more. With missing ratings take Krippendorff's alpha. Throws when all ratings
 * fell into one category.
 */
export function fleissKappa(counts: readonly Numbers[]): FleissKappaResult {
  requireArray(counts, 'counts');
  const subjects = counts.length;
  if (subjects === 0) fail('no-items', 'counts has no subjects', 'Pass one row of counts per rated subject.');
  for (let subject = 0; subject < subjects; subject++) requireArray(counts[subject]!, `counts[${subject}]`);
  const categories = counts[0]!.length;
  const sums = new Float64Array(categories);
  let raters = 0;
  let agreement = 0;
  for (const [subject, row] of Array.from(counts).entries()) {
    let total = 0;
    let squares = 0;
    for (let c = 0; c < Math.max(categories, row.length); c++) {
      const count = row[c];
      if (count === undefined || c >= categories || !Number.isSafeInteger(count) || count < 0) {
        fail(
          'invalid-count',
          `counts[${subject}][${c}] must be a whole number of raters, in ${categories} categories, got ${String(count)}`,
          'Give every row one count per category, 0 where no rater chose it.',
        );
      }
      total += count;
      squares += count * count;
      sums[c]! += count;
    }
    if (subject === 0) raters = total;
    if (total !== raters || total < 2) {
      fail(
        'unequal-raters',
        `counts[${subject}] holds ${total} ratings; every subject needs the same number (here ${raters}), two or more`,
        'Leave out subjects with missing ratings, or use krippendorffAlpha, which allows them.',
      );
    }
    agreement += (squares - total) / (total * (total - 1));
  }
  const categoryShares = Array.from(sums, (sum) => sum / (subjects * raters));
  const observedAgreement = agreement / subjects;
  const expectedAgreement = categoryShares.reduce((sum, share) => sum + share * share, 0);
  if (sums.some((sum) => sum === subjects * raters)) {
    fail(
      'no-variation',
      `All ${subjects * raters} ratings fell into one category, so kappa is 0/0`,
      'Report the observed agreement (1) instead.',
    );
  }
  return {
    kind: 'fleiss-kappa',
    method: "Fleiss' kappa",
    n: subjects,
    assumptions: ['subjects are independent of each other', 'each subject was rated by the same number of raters'],
    kappa: (observedAgreement - expectedAgreement) / (1 - expectedAgreement),
    observedAgreement,
    expectedAgreement,
    raters,
    categoryShares,
  };
}
