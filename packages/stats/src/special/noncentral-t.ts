import { logGamma, lowerIncompleteGamma, stirlingRemainder } from './gamma.js';
import { normalTail } from './tails.js';

// T = (Z + δ) / S, with S² the mean of df squared normals. Its tail is one integral, over S or over Z; either way the
// trapezoid rule on the whole line converges exponentially, given steps that see the narrower of the two.

/** P(T > t) of the non-central t with `df` degrees of freedom and non-centrality `delta`, for t > 0. */
export function noncentralTTail(t: number, df: number, delta: number): number {
  if (delta > 10 * t + 40) return 1; // but for S above 10 or Z below -40: less than 1e-20
  if (delta < -38) return 0; // Z above 38: less than 1e-300
  const normalIsWider = t > Math.sqrt(2 * df);
  return delta > 10 && normalIsWider ? overNormal(t, df, delta) : overDeviation(t, df, delta);
}

/** P(S < (z + δ) / t), averaged over z; `delta` is large enough that z + δ stays positive. */
function overNormal(t: number, df: number, delta: number): number {
  const step = 1 / 16;
  let sum = 0;
  for (let z = -9; z <= 9; z += step) {
    const s = Math.max(0, z + delta) / t;
    sum += Math.exp((-z * z) / 2) * lowerIncompleteGamma(df / 2, (df / 2) * s * s);
  }
  return (sum * step) / Math.sqrt(2 * Math.PI);
}

/** P(Z > t s - δ), averaged over u = ln s. */
function overDeviation(t: number, df: number, delta: number): number {
  const half = df / 2;
  // ln of the density of u at 0
  const logPeak =
    Math.LN2 +
    (half < 10
      ? half * Math.log(half) - logGamma(half) - half
      : 0.5 * Math.log(half / (2 * Math.PI)) - stirlingRemainder(half));
  const step = Math.min(1 / Math.sqrt(2 * df), 1 / (1 + Math.abs(delta))) / 6;
  let sum = 0;
  for (const direction of [1, -1]) {
    for (let i = direction === 1 ? 0 : 1; ; i++) {
      const u = direction * i * step;
      const weight = Math.exp(logPeak + df * u - half * Math.expm1(2 * u)); // highest at u = 0
      if (weight < 1e-22) break;
      sum += weight * normalTail(t * Math.exp(u) - delta);
    }
  }
  return sum * step;
}
