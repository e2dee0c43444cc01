import type { Numbers } from './checks.js';

/**
 * Ranks from 1, ties sharing their mean rank, with the sizes of the tie groups of two and more. Neighbours no further apart
 * than the mean of their `rounding`, 0 by default, are ties.
 */
export function midranks(values: Numbers, rounding?: Numbers): { ranks: Float64Array; ties: number[] } {
  const order = Array.from({ length: values.length }, (_, i) => i).sort((i, j) => values[i]! - values[j]!);
  const tied = (i: number, j: number): boolean =>
    values[j]! - values[i]! <= (rounding ? (rounding[i]! + rounding[j]!) / 2 : 0);
  const ranks = new Float64Array(values.length);
  const ties: number[] = [];
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && tied(order[end - 1]!, order[end]!)) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + 1 + end) / 2;
    if (end - start > 1) ties.push(end - start);
    start = end;
  }
  return { ranks, ties };
}

/** Σ (t³ - t) over tie groups, the term of every tie correction. */
export const tieSum = (ties: readonly number[]): number => ties.reduce((sum, t) => sum + (t * t * t - t), 0);
