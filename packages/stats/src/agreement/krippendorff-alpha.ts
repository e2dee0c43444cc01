import { fail, isNumber, requireArray, requireOneOf, requireOptions } from '../checks.js';
import { largestSize } from '../moments.js';
import type { ResultHeader } from '../result.js';
import { type Category, requireCategories } from './categories.js';

const largest = Number.MAX_VALUE;
const levels = ['nominal', 'ordinal', 'interval', 'ratio'] as const;
export type MeasurementLevel = (typeof levels)[number];

export interface KrippendorffOptions<C extends Category = Category> {
  /** How far two values are apart. Default `'nominal'`: equal or not. */
  level?: MeasurementLevel;
  /** The order of values that are not numbers, for `'ordinal'`. */
  categories?: readonly C[];
}

export interface KrippendorffResult extends ResultHeader {
  kind: 'krippendorff-alpha';
  alpha: number;
  level: MeasurementLevel;
  /** Units with two ratings or more, which are `n` too, and the ratings in them. */
  units: number;
  ratings: number;
}

/**
 * Krippendorff's alpha (2011) of any number of raters, with missing ratings: `ratings[rater][unit]`, null where a rater
 * gave none. A unit with fewer than two ratings does not count. Throws when all ratings are equal.
 */
export function krippendorffAlpha<C extends Category>(
  ratings: readonly ArrayLike<C | null>[],
  options: KrippendorffOptions<C> = {},
): KrippendorffResult {
  const { level = 'nominal', categories } = requireOptions(options);
  requireCategories(categories);
  requireArray(ratings, 'ratings');
  for (let rater = 0; rater < ratings.length; rater++) requireArray(ratings[rater]!, `ratings[${rater}]`);
  requireOneOf(level, levels, 'level');
  const width = ratings[0]?.length ?? 0;
  for (const [rater, row] of Array.from(ratings).entries()) {
    if (row.length !== width) {
      fail(
        'unequal-lengths',
        `ratings[${rater}] covers ${row.length} units, ratings[0] ${width}`,
        'Give every rater one entry per unit, null where there is none.',
      );
    }
  }
  for (const [rater, row] of Array.from(ratings).entries()) {
    const missing = Array.from(row).findIndex((rating) => Number.isNaN(rating));
    if (missing !== -1) fail('not-finite', `ratings[${rater}][${missing}] is NaN`, 'Pass null for a missing rating.');
  }
  const units: C[][] = [];
  for (let unit = 0; unit < width; unit++) {
    const given = Array.from(ratings, (row) => row[unit]).filter((value) => value !== null && value !== undefined);
    if (given.length >= 2) units.push(given);
  }
  if (units.length === 0) {
    fail(
      'too-few-pairs',
      'No unit has two ratings, so there is nothing to agree on',
      'Let two raters rate the same units.',
    );
  }

  const values = orderedValues(units.flat(), level, categories);
  const position = new Map<C, number>(values.map((value, i) => [value, i]));
  const totals = new Float64Array(values.length);
  const tables = units.map((unit) => {
    const counts = new Map<number, number>();
    for (const value of unit) {
      const index =
        position.get(value) ??
        fail('unknown-category', `The rating ${String(value)} is not one of the categories`, 'Add it to categories.');
      counts.set(index, (counts.get(index) ?? 0) + 1);
      totals[index]!++;
    }
    return { size: unit.length, counts: [...counts] };
  });
  const distance = squaredDistance(values, totals, level);
  let observed = 0;
  for (const { size, counts } of tables) {
    for (const [c, x] of counts)
      for (const [k, y] of counts) if (c !== k) observed += (x * y * distance(c, k)) / (size - 1);
  }
  let expected = 0;
  for (let c = 0; c < totals.length; c++) {
    for (let k = 0; k < totals.length; k++) if (c !== k) expected += totals[c]! * totals[k]! * distance(c, k);
  }
  if (expected === 0) {
    fail('no-variation', 'All ratings are equal, so alpha is 0/0', 'Report that the raters agreed on every unit.');
  }
  const count = totals.reduce((sum, total) => sum + total, 0);
  return {
    kind: 'krippendorff-alpha',
    method: `Krippendorff’s alpha, ${level}`,
    n: units.length,
    assumptions: ['units are independent of each other', 'raters can be exchanged for each other'],
    alpha: 1 - ((count - 1) * observed) / expected,
    level,
    units: units.length,
    ratings: count,
  };
}

function orderedValues<C extends Category>(
  ratings: readonly C[],
  level: MeasurementLevel,
  categories: readonly C[] | undefined,
): readonly C[] {
  const metric = level === 'interval' || level === 'ratio';
  const notNumber = ratings.find((value) => !isNumber(value, level === 'ratio' ? 0 : -largest, largest));
  if (notNumber !== undefined && metric) {
    fail(
      'not-finite',
      `level '${level}' needs finite numbers${level === 'ratio' ? ' from 0' : ''}, got ${String(notNumber)}`,
      "Pass level: 'nominal', or null for a missing rating.",
    );
  }
  if (categories && !metric) return categories;
  if (notNumber !== undefined && level === 'ordinal') {
    fail(
      'invalid-option',
      "level 'ordinal' needs the order of the categories",
      "Pass categories: ['low', 'high'], say.",
    );
  }
  const seen = [...new Set(ratings)];
  return notNumber === undefined ? seen.sort((x, y) => Number(x) - Number(y)) : seen;
}

function squaredDistance<C extends Category>(
  values: readonly C[],
  totals: Float64Array,
  level: MeasurementLevel,
): (c: number, k: number) => number {
  if (level === 'nominal') return () => 1;
  // In units of the largest, here of all and there of two, so that no sum or square overflows or vanishes.
  const number = values.map(Number);
  if (level === 'interval') {
    const unit = largestSize(number);
    return (c, k) => (number[c]! / unit - number[k]! / unit) ** 2;
  }
  if (level === 'ratio') {
    return (c, k) => {
      const share = Math.min(number[c]!, number[k]!) / Math.max(number[c]!, number[k]!);
      return ((1 - share) / (1 + share)) ** 2;
    };
  }
  let sum = 0;
  const middle = totals.map((total) => {
    sum += total;
    return sum - total / 2; // mid-rank of the value, so that a difference counts the ratings between
  });
  return (c, k) => (middle[c]! - middle[k]!) ** 2;
}
