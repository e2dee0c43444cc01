import { type Numbers, requireOptions, requireProbability } from '../checks.js';
import type { ResultHeader } from '../result.js';
import { studentizedRangeTail, studentizedRangeUpperQuantile } from '../special/studentized-range.js';
import { rankWithinSubjects } from './friedman.js';

export interface NemenyiComparison {
  /** Positions of the two conditions. */
  first: number;
  second: number;
  /** Mean rank of the first less that of the second. */
  rankDifference: number;
  /** Adjusted for all pairs. */
  p: number;
}

export interface NemenyiResult extends ResultHeader {
  kind: 'nemenyi';
  meanRanks: readonly number[];
  alpha: number;
  /** Mean ranks further apart than this differ at `alpha` (Demšar, 2006). */
  criticalDifference: number;
  comparisons: readonly NemenyiComparison[];
}

/** Nemenyi's comparison of all pairs of conditions by mean ranks (1963), after Friedman's test. Values are `[subject][condition]`. */
export function nemenyiTest(values: readonly Numbers[], options: { alpha?: number } = {}): NemenyiResult {
  const { alpha = 0.05 } = requireOptions(options);
  requireProbability(alpha, 'alpha');
  const { meanRanks } = rankWithinSubjects(values);
  const n = values.length;
  const k = meanRanks.length;
  const unit = Math.sqrt((k * (k + 1)) / (12 * n)); // a range of normals in units of mean ranks
  const comparisons: NemenyiComparison[] = [];
  for (let first = 0; first < k; first++) {
    for (let second = first + 1; second < k; second++) {
      const rankDifference = meanRanks[first]! - meanRanks[second]!;
      comparisons.push({ first, second, rankDifference, p: studentizedRangeTail(Math.abs(rankDifference) / unit, k) });
    }
  }
  return {
    kind: 'nemenyi',
    method: 'Nemenyi test',
    n,
    assumptions: [
      'subjects are independent of each other',
      'mean ranks are normally distributed, so subjects are many',
    ],
    meanRanks,
    alpha,
    criticalDifference: unit * studentizedRangeUpperQuantile(alpha, k),
    comparisons,
  };
}
