import { fail, type Numbers, requireFinite, requireSameLength } from '../checks.js';
import { largestSize } from '../moments.js';

const largestSquarable = 1e150;

export interface Differences {
  /** a - b, pair by pair. */
  values: Float64Array;
  /**
   * For each, the most that rounding can have put into it: 0.3 - 0.2 and 0.2 - 0.1 are no further apart than half of both
   * together. 0 for whole numbers, which were not rounded.
   */
  rounding: Float64Array;
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
  const values = Float64Array.from({ length: a.length }, (_, i) => a[i]! - b[i]!);
  const rounding = values.map((_, i) => {
    const whole = Number.isInteger(a[i]) && Number.isInteger(b[i]);
    return whole ? 0 : 4 * Number.EPSILON * Math.max(Math.abs(a[i]!), Math.abs(b[i]!));
  });
  return { values, rounding };
}

/** The differences a - b, which must not be all the same but for rounding: then there is no spread to measure against. */
export function spreadDifferences(a: Numbers, b: Numbers): Float64Array {
  const { values, rounding } = pairedDifferences(a, b);
  let [least, most] = [values[0]!, values[0]!];
  // where all are one number but for rounding, that number lies between these two
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  values.forEach((d, i) => {
    least = Math.min(least, d);
    most = Math.max(most, d);
    from = Math.max(from, d - rounding[i]! / 2);
    to = Math.min(to, d + rounding[i]! / 2);
  });
  if (from > to && most - least > 1 / largestSquarable) return values;
  if (allZero({ values, rounding })) failAllZero(values.length, 'their spread is zero and no test statistic exists');
  return fail(
    'no-variation',
    `All ${values.length} differences a - b are ${values[0]}, so their spread is zero and no test statistic exists`,
    'Report the constant difference as it is; check that the values were not rounded or made from each other.',
  );
}

/** Whether no pair differs by more than rounding. */
export function allZero({ values, rounding }: Differences): boolean {
  return values.every((d, i) => Math.abs(d) <= rounding[i]!);
}

export function failAllZero(count: number, consequence: string): never {
  fail(
    'all-differences-zero',
    `All ${count} differences a - b are zero, so ${consequence}`,
    'Report that the two conditions gave identical values; check that they are not the same runs read twice.',
  );
}
