import { fail, type Numbers, requireFinite, requireSameLength } from '../checks.js';
import { largestSize } from '../moments.js';

const largestSquarable = 1e150;

export interface Differences {
  /** a - b, pair by pair. */
  values: Float64Array;
  /** The most that rounding can have put into one: 0.3 - 0.2 and 0.2 - 0.1 are no further apart than this. */
  rounding: number;
}

/** The differences a - b of at least two pairs of finite numbers. */
export function pairedDifferences(a: Numbers, b: Numbers): Differences {
  requireSameLength(a, b, ['a', 'b']);
  requireFinite(a, 'a');
  requireFinite(b, 'b');
  if (a.length < 2) {
    fail('too-few-pairs', `A paired comparison needs at least 2 pairs, got ${a.length}`, 'Run more seeds.');
  }
  const scale = Math.max(largestSize(a), largestSize(b));
  if (scale > largestSquarable) {
    fail('not-finite', `Values up to ${scale} have squares that are not finite`, 'Measure in a larger unit.');
  }
  return {
    values: Float64Array.from({ length: a.length }, (_, i) => a[i]! - b[i]!),
    rounding: 4 * Number.EPSILON * scale,
  };
}

/** The differences a - b, which must not be all the same but for rounding: then there is no spread to measure against. */
export function spreadDifferences(a: Numbers, b: Numbers): Float64Array {
  const { values, rounding } = pairedDifferences(a, b);
  const first = values[0]!;
  const least = Math.max(rounding, 1 / largestSquarable);
  if (values.some((d) => Math.abs(d - first) > least)) return values;
  if (Math.abs(first) <= rounding) failAllZero(values.length, 'their spread is zero and no test statistic exists');
  return fail(
    'no-variation',
    `All ${values.length} differences a - b are ${first}, so their spread is zero and no test statistic exists`,
    'Report the constant difference as it is; check that the values were not rounded or made from each other.',
  );
}

export function failAllZero(count: number, consequence: string): never {
  fail(
    'all-differences-zero',
    `All ${count} differences a - b are zero, so ${consequence}`,
    'Report that the two conditions gave identical values; check that they are not the same runs read twice.',
  );
}
