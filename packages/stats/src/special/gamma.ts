// Log-gamma by its Stirling series, the regularised incomplete gamma function by its power series and its continued
// fraction (Abramowitz and Stegun, 6.1.41, 6.5.29, 6.5.31). jStat's own are short of digits for large
// arguments and have no upper tail: docs/decisions/stats-depends-on-core.md.

const halfLogTwoPi = 0.9189385332046727;

/** What lnΓ(x) exceeds Stirling's `(x - 1/2) ln x - x + ln(2π)/2` by, for x of 10 or more. */
export function stirlingRemainder(x: number): number {
  const s = 1 / (x * x);
  const series =
    1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s * (1 / 156))))));
  return series / x;
}

/** lnΓ(x) for x > 0, to about 1e-15 of max(1, |lnΓ(x)|). */
export function logGamma(x: number): number {
  let shift = 1;
  let y = x;
  while (y < 10) shift *= y++;
  return (y - 0.5) * Math.log(y) - y + halfLogTwoPi + stirlingRemainder(y) - Math.log(shift);
}

/** ln B(a, b), without the cancellation of three log-gammas when a or b is large. */
export function logBeta(a: number, b: number): number {
  const p = Math.min(a, b);
  const q = Math.max(a, b);
  const share = p / (p + q);
  if (p >= 10) {
    const remainder = stirlingRemainder(p) + stirlingRemainder(q) - stirlingRemainder(p + q);
    return -0.5 * Math.log(q) + halfLogTwoPi + remainder + (p - 0.5) * Math.log(share) + q * Math.log1p(-share);
  }
  if (q >= 10) {
    const remainder = stirlingRemainder(q) - stirlingRemainder(p + q);
    return logGamma(p) + remainder + p - p * Math.log(p + q) + (q - 0.5) * Math.log1p(-share);
  }
  return logGamma(p) + logGamma(q) - logGamma(p + q);
}

/** Q(a, x): the upper tail of the gamma distribution with shape a > 0 at x >= 0, keeping its digits down to 1e-300. */
export function upperIncompleteGamma(a: number, x: number): number {
  return x < a + 1 ? 1 - lowerBySeries(a, x) : upperByFraction(a, x);
}

/** P(a, x) = 1 - Q(a, x), keeping its digits where it is the smaller. */
export function lowerIncompleteGamma(a: number, x: number): number {
  return x < a + 1 ? lowerBySeries(a, x) : 1 - upperByFraction(a, x);
}

const front = (a: number, x: number): number => Math.exp(a * Math.log(x) - x - logGamma(a));

function lowerBySeries(a: number, x: number): number {
  if (x <= 0) return 0;
  let term = 1 / a;
  let sum = term;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return front(a, x) * sum;
}

function upperByFraction(a: number, x: number): number {
  if (x === Number.POSITIVE_INFINITY) return 0;
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 10_000_000; n++) {
    const numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const step = c * d;
    fraction *= step;
    if (!(Math.abs(step - 1) >= 2 * Number.EPSILON)) break;
  }
  return front(a, x) * fraction;
}
