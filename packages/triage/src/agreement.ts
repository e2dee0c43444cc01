// The three figures that a triage or audit report needs, in their textbook form. Larger studies feed the counts that
// the summaries expose to @redef/stats.

/**
 * Fleiss' kappa (Fleiss, 1971) over items that were each rated by the same number of raters.
 *
 * @param items one row per item, or per group of equal items: how many raters chose each category, and how many items
 * @returns `null` where it is undefined: no items, fewer than two raters, or all ratings in one category
 */
export function fleissKappa(items: readonly { counts: readonly number[]; items: number }[]): number | null {
  const raters = sum(items[0]?.counts ?? []);
  const n = sum(items.map((row) => row.items));
  if (n === 0 || raters < 2) return null;
  const totals = items[0]!.counts.map((_, category) => sum(items.map((row) => row.counts[category]! * row.items)));
  const expected = sum(totals.map((total) => (total / (n * raters)) ** 2));
  const observed =
    sum(items.map((row) => (row.items * (sum(row.counts.map((c) => c * c)) - raters)) / (raters * (raters - 1)))) / n;
  return totals.some((total) => total === n * raters) ? null : (observed - expected) / (1 - expected);
}

/**
 * Cohen's kappa (Cohen, 1960) of two raters.
 *
 * @param table square, `table[i][j]`: items that the first rater put in category i and the second in j
 * @returns `null` where it is undefined: no items, or both raters used one and the same category throughout
 */
export function cohenKappa(table: readonly (readonly number[])[]): number | null {
  const n = sum(table.map(sum));
  if (n === 0) return null;
  const observed = sum(table.map((row, i) => row[i]!)) / n;
  const expected = sum(table.map((row, i) => sum(row) * sum(table.map((other) => other[i]!)))) / n ** 2;
  return expected === 1 ? null : (observed - expected) / (1 - expected);
}

export interface Interval {
  low: number;
  high: number;
}

/** The 97.5% point of the standard normal. */
const z95 = 1.959963984540054;

/** Wilson's score interval (Wilson, 1927) for a proportion, without continuity correction; 95% by default. `null` for no trials. */
export function wilsonInterval(successes: number, trials: number, z = z95): Interval | null {
  if (trials === 0) return null;
  const p = successes / trials;
  const centre = p + z ** 2 / (2 * trials);
  const half = z * Math.sqrt((p * (1 - p)) / trials + z ** 2 / (4 * trials ** 2));
  const scale = 1 + z ** 2 / trials;
  return { low: Math.max(0, (centre - half) / scale), high: Math.min(1, (centre + half) / scale) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
