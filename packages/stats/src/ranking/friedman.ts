import { fail, type Numbers, requireArray, requireFinite } from '../checks.js';
import { midranks, tieSum } from '../ranks.js';
import type { ResultHeader } from '../result.js';
import { logGamma } from '../special/gamma.js';
import { chiSquaredTail, fTail } from '../special/tails.js';

export interface FriedmanResult extends ResultHeader {
  kind: 'friedman';
  /** With the tie correction. */
  chiSquared: number;
  df: number;
  p: number;
  /** Iman and Davenport's F (1980), less conservative; infinite when all subjects rank alike. */
  imanDavenport: { f: number; dfNumerator: number; dfDenominator: number; p: number };
  /** Kendall's coefficient of concordance, from 0 to 1. */
  kendallsW: number;
  /** Mean rank of each condition, 1 for the lowest values. */
  meanRanks: readonly number[];
}

/** Mean ranks of three conditions or more over subjects, the values being `[subject][condition]`. */
export function rankWithinSubjects(values: readonly Numbers[]): { meanRanks: number[]; tieSum: number } {
  requireArray(values, 'values');
  for (let subject = 0; subject < values.length; subject++) requireArray(values[subject]!, `values[${subject}]`);
  const subjects = values.length;
  const conditions = values[0]?.length ?? 0;
  if (subjects < 2 || conditions < 3) {
    fail(
      'too-few-cells',
      `Friedman's test needs at least 2 subjects and 3 conditions, got ${subjects} and ${conditions}`,
      'For two conditions use wilcoxonSignedRank.',
    );
  }
  const sums = new Float64Array(conditions);
  let ties = 0;
  Array.from(values).forEach((row, subject) => {
    if (row.length !== conditions) {
      fail(
        'missing-cells',
        `Subject ${subject} has ${row.length} values where ${conditions} conditions are expected`,
        'Run the missing cell, or leave that subject out and say so.',
      );
    }
    requireFinite(row, `values[${subject}]`);
    const ranked = midranks(row);
    ranked.ranks.forEach((rank, condition) => {
      sums[condition]! += rank;
    });
    ties += tieSum(ranked.ties);
  });
  return { meanRanks: Array.from(sums, (sum) => sum / subjects), tieSum: ties };
}

/** Friedman's rank test (1937) of conditions measured on the same subjects: the ANOVA's alternative without normality. */
export function friedmanTest(values: readonly Numbers[]): FriedmanResult {
  const { meanRanks, tieSum: ties } = rankWithinSubjects(values);
  const n = values.length;
  const k = meanRanks.length;
  const correction = 1 - ties / (n * (k ** 3 - k));
  if (correction < 1e-14) {
    fail('no-variation', 'Every subject has equal values in all conditions, so nothing is ranked', 'Check the values.');
  }
  const spread = meanRanks.reduce((sum, rank) => sum + (rank - (k + 1) / 2) ** 2, 0);
  const largest = n * (k - 1);
  const chiSquared = Math.min(largest, ((12 * n) / (k * (k + 1))) * (spread / correction));
  const perfect = largest - chiSquared < 1e-12 * largest;
  const f = perfect ? Number.POSITIVE_INFINITY : ((n - 1) * chiSquared) / (largest - chiSquared);
  return {
    kind: 'friedman',
    method: 'Friedman test',
    n,
    assumptions: ['subjects are independent of each other', 'values can be ranked within a subject'],
    chiSquared,
    df: k - 1,
    p: chiSquaredTail(chiSquared, k - 1),
    imanDavenport: {
      f,
      dfNumerator: k - 1,
      dfDenominator: (k - 1) * (n - 1),
      // All subjects alike: the exact chance of it, (1 / k!)^(n - 1).
      p: perfect ? Math.exp(-(n - 1) * logGamma(k + 1)) : fTail(f, k - 1, (k - 1) * (n - 1)),
    },
    kendallsW: chiSquared / largest,
    meanRanks,
  };
}
