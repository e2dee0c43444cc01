import { logBeta } from './gamma.js';

/** The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by Lentz's method. */
function continuedFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  const guard = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 10_000_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    fraction *= d * c;
    if (!(Math.abs(d * c - 1) >= 2 * Number.EPSILON)) break;
  }
  return fraction;
}

/**
 * I_x(a, b): the lower tail of the beta distribution, a and b > 0. Pass `y = 1 - x` as well where it is known better
 * than the subtraction knows it. Small values keep their digits; the upper tail is `incompleteBeta(b, a, y, x)`.
 */
export function incompleteBeta(a: number, b: number, x: number, y = 1 - x): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const logX = x > 0.5 ? Math.log1p(-y) : Math.log(x);
  const logY = y > 0.5 ? Math.log1p(-x) : Math.log(y);
  const front = Math.exp(a * logX + b * logY - logBeta(a, b));
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(a, b, x)) / a
    : 1 - (front * continuedFraction(b, a, y)) / b;
}
