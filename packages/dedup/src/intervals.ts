/** The two-sided 95% point of the standard normal. */
const z = 1.959963984540054;

/** Lower and upper end, both included. */
export type Interval = [number, number];

/** A share of 0/1 outcomes with its 95% interval. */
export interface Proportion {
  rows: number;
  correct: number;
  /** `correct / rows`, 0 to 1; `null` without rows. */
  score: number | null;
  /** Wilson's score interval without continuity correction; `null` without rows. */
  interval: Interval | null;
}

export function proportion(correct: number, rows: number): Proportion {
  if (rows === 0) return { rows, correct, score: null, interval: null };
  const score = correct / rows;
  const centre = (score + (z * z) / (2 * rows)) / (1 + (z * z) / rows);
  const half = (z * Math.sqrt((score * (1 - score)) / rows + (z * z) / (4 * rows * rows))) / (1 + (z * z) / rows);
  return { rows, correct, score, interval: [Math.max(0, centre - half), Math.min(1, centre + half)] };
}

/** A difference of two independent proportions with its 95% interval (Newcombe 1998, method 10), or `null` where one has no rows. */
export function difference(first: Proportion, second: Proportion): { value: number; interval: Interval } | null {
  if (first.score === null || second.score === null || !first.interval || !second.interval) return null;
  const value = first.score - second.score;
  const below = Math.hypot(first.score - first.interval[0], second.interval[1] - second.score);
  const above = Math.hypot(first.interval[1] - first.score, second.score - second.interval[0]);
  return { value, interval: [value - below, value + above] };
}
