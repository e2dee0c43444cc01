import { logGamma } from './gamma.js';
import { normalTail } from './tails.js';

/**
 * P(T > t) of the non-central t with `df` degrees of freedom and non-centrality `delta`: the normal tail averaged over
 * the distribution of s / σ, in ln(s / σ), where the trapezoid rule converges exponentially.
 */
export function noncentralTTail(t: number, df: number, delta: number): number {
  const logFront = Math.LN2 + (df / 2) * Math.log(df / 2) - logGamma(df / 2) - df / 2;
  const step = Math.min(1 / Math.sqrt(2 * df), 1 / (1 + Math.abs(delta))) / 6;
  let sum = 0;
  for (const direction of [1, -1]) {
    for (let i = direction === 1 ? 0 : 1; ; i++) {
      const u = direction * i * step;
      // df u - df (e^{2u} - 1) / 2, its maximum 0 at u = 0
      const weight = Math.exp(logFront + df * u - (df / 2) * Math.expm1(2 * u));
      if (weight < 1e-22) break;
      sum += weight * normalTail(t * Math.exp(u) - delta);
    }
  }
  return sum * step;
}
