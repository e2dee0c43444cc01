import { fail, type Numbers, requireFinite } from '../checks.js';
import { mean, sampleDeviation } from '../moments.js';
import { spreadDifferences } from '../paired/differences.js';
import { wilcoxonSignedRank } from '../paired/wilcoxon-signed-rank.js';
import type { ResultHeader } from '../result.js';
import { type EffectMeasure, effectThresholds, type Magnitude, magnitude } from './magnitude.js';

export interface EffectSize extends ResultHeader {
  kind: 'effect-size';
  measure: EffectMeasure;
  /** Positive when the first sample is the larger. */
  value: number;
  magnitude: Magnitude;
  /** Lower ends of small, medium and large. */
  thresholds: readonly [number, number, number];
}

function effectSize(
  measure: EffectMeasure,
  method: string,
  n: number,
  value: number,
  assumptions: string[],
): EffectSize {
  const thresholds = effectThresholds[measure];
  return {
    kind: 'effect-size',
    measure,
    method,
    n,
    assumptions,
    value,
    magnitude: magnitude(measure, value),
    thresholds,
  };
}

/** Cohen's dz: mean of the differences a - b over their standard deviation (Lakens, 2013). */
export function cohensDz(a: Numbers, b: Numbers): EffectSize {
  const differences = spreadDifferences(a, b);
  const value = mean(differences) / sampleDeviation(differences);
  return effectSize('cohensDz', 'Cohen’s dz', differences.length, value, ['pairs are independent of each other']);
}

/** Matched-pairs rank-biserial correlation, (W+ - W-) / (W+ + W-), zeros left out (Kerby, 2014). */
export function matchedPairsRankBiserial(a: Numbers, b: Numbers): EffectSize {
  const { rankBiserial, n } = wilcoxonSignedRank(a, b, { method: 'normal' });
  return effectSize('rankBiserial', 'Matched-pairs rank-biserial correlation', n, rankBiserial, [
    'pairs are independent of each other',
  ]);
}

/** Cliff's delta (1993): P(a > b) - P(a < b) over all pairs of a value of each sample. The samples need not be paired. `n` counts the values of both. */
export function cliffsDelta(a: Numbers, b: Numbers): EffectSize {
  requireFinite(a, 'a');
  requireFinite(b, 'b');
  if (a.length === 0 || b.length === 0) fail('no-items', 'a or b is empty', 'Pass at least one value of each sample.');
  const sorted = Float64Array.from(b).sort();
  let dominance = 0;
  let below = 0; // values of b under the current value of a
  let upTo = 0; // and those not over it
  for (const value of Float64Array.from(a).sort()) {
    while (below < sorted.length && sorted[below]! < value) below++;
    upTo = Math.max(upTo, below);
    while (upTo < sorted.length && sorted[upTo]! <= value) upTo++;
    dominance += below - (sorted.length - upTo);
  }
  const value = dominance / (a.length * b.length);
  return effectSize('cliffsDelta', 'Cliff’s delta', a.length + b.length, value, [
    'values are independent of each other',
  ]);
}
