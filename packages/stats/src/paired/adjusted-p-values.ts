import { fail, isNumber, type Numbers, requireArray } from '../checks.js';

function ascending(p: Numbers): number[] {
  requireArray(p, 'p');
  for (let i = 0; i < p.length; i++) {
    if (!isNumber(p[i], 0, 1)) {
      fail(
        'not-a-p-value',
        `p[${i}] must lie from 0 to 1, got ${String(p[i])}`,
        'Pass the unadjusted p-values of one family.',
      );
    }
  }
  return Array.from({ length: p.length }, (_, i) => i).sort((i, j) => p[i]! - p[j]!);
}

/** Holm's step-down adjusted p-values (Holm, 1979), in the order given: they bound the chance of one false claim or more. */
export function holm(p: Numbers): number[] {
  const order = ascending(p);
  const adjusted = new Array<number>(p.length);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (p.length - rank) * p[i]!));
    adjusted[i] = largest;
  });
  return adjusted;
}

/** Benjamini and Hochberg's adjusted p-values (1995), in the order given: they bound the share of false claims. */
export function benjaminiHochberg(p: Numbers): number[] {
  const order = ascending(p);
  const adjusted = new Array<number>(p.length);
  let smallest = 1;
  for (let rank = p.length; rank >= 1; rank--) {
    const i = order[rank - 1]!;
    smallest = Math.min(smallest, (p.length / rank) * p[i]!);
    adjusted[i] = smallest;
  }
  return adjusted;
}
