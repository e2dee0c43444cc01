import jstat from 'jstat';
import { incompleteBeta } from './beta.js';
import { invert } from './invert.js';
import { normalTail, studentTail } from './tails.js';

// jStat gives the start and the slope of each search.
const { jStat } = jstat;

/** The z with P(Z > z) = `p`, 0 < p < 1. */
export function normalUpperQuantile(p: number): number {
  if (p === 0.5) return 0;
  if (p > 0.5) return -normalUpperQuantile(1 - p);
  return invert({
    p,
    probability: normalTail,
    density: (z) => jStat.normal.pdf(z, 0, 1),
    rising: false,
    start: -jStat.normal.inv(p, 0, 1),
    bracket: [0, 40],
  });
}

/** The t with P(T > t) = `p` under Student's t with `df` degrees of freedom, 0 < p < 1. */
export function studentUpperQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  if (p > 0.5) return -studentUpperQuantile(1 - p, df);
  return invert({
    p,
    probability: (t) => studentTail(t, df),
    density: (t) => jStat.studentt.pdf(t, df),
    rising: false,
    start: -jStat.studentt.inv(p, df),
    bracket: [0, 1e300],
  });
}

/** The x with P(X <= x) = `p` under Beta(a, b), 0 < p < 1. */
export function betaQuantile(p: number, a: number, b: number): number {
  const rising = p <= 0.5; // solved on the side of the smaller tail, where ln p is steep
  return invert({
    p: rising ? p : 1 - p,
    probability: rising ? (x) => incompleteBeta(a, b, x) : (x) => incompleteBeta(b, a, 1 - x, x),
    density: (x) => jStat.beta.pdf(x, a, b),
    rising,
    start: jStat.beta.inv(p, a, b),
    bracket: [0, 1],
  });
}
