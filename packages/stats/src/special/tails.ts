import { incompleteBeta } from './beta.js';
import { upperIncompleteGamma } from './gamma.js';

// Upper tails P(X > x). Each is computed as a tail, never as 1 - cdf, so that a p-value of 1e-15 has digits left.

/** Of the standard normal. */
export function normalTail(z: number): number {
  const tail = upperIncompleteGamma(0.5, (z * z) / 2) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/** Of Student's t with `df` > 0 degrees of freedom. */
export function studentTail(t: number, df: number): number {
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return t > 0 ? 0 : 1;
  const tail = incompleteBeta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
  return t >= 0 ? tail : 1 - tail;
}

/** Of F with `df1` and `df2` degrees of freedom. */
export function fTail(f: number, df1: number, df2: number): number {
  if (f <= 0) return 1;
  if (f === Number.POSITIVE_INFINITY) return 0;
  const scaled = df1 * f;
  return incompleteBeta(df2 / 2, df1 / 2, df2 / (df2 + scaled), scaled / (df2 + scaled));
}

/** Of chi-squared with `df` degrees of freedom. */
export function chiSquaredTail(x: number, df: number): number {
  return upperIncompleteGamma(df / 2, x / 2);
}
