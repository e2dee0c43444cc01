import type { Numbers } from './checks.js';

/** Ranks from 1, ties sharing their mean rank, with the sizes of the tie groups of two and more. Neighbours within `rounding` are ties. */
export function midranks(values: Numbers, rounding = 0): { ranks: Float64Array; ties: number[] } {
  const order = Array.from({ length: values.length }, (_, i) => i).sort((i, j) => values[i]! - values[j]!);
  const ranks = new Float64Array(values.length);
  const ties: number[] = [];
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]!]! - values[order[end - 1]!]! <= rounding) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + 1 + end) / 2;
    if (end - start > 1) ties.push(end - start);
    start = end;
  }
  return { ranks, ties };
}

/** Σ (t³ - t) over tie groups, the term of every tie correction. */
export const tieSum = (ties: readonly number[]): number => ties.reduce((sum, t) => sum + (t * t * t - t), 0);
