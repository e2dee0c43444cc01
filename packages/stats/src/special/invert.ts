export interface Inversion {
  p: number;
  /** Monotone from `bracket[0]` to `bracket[1]`, and accurate where it equals `p`. */
  probability: (x: number) => number;
  density: (x: number) => number;
  rising: boolean;
  start: number;
  bracket: [number, number];
}

/**
 * The x where `probability` equals `p`: Newton's steps in ln p, cutting the bracket where a step leaves it. The start
 * and the slope need few digits; `probability` alone fixes the answer.
 */
export function invert({ p, probability, density, rising, start, bracket: [low, high] }: Inversion): number {
  const middle = () => (high > 4 * (low + 1) ? Math.sqrt((low + 1) * high) : (low + high) / 2);
  let x = start > low && start < high ? start : middle();
  for (let step = 0; step < 400; step++) {
    const value = probability(x);
    if (value > p === rising) high = x;
    else low = x;
    const stride = (Math.log(value / p) * value) / density(x);
    const newton = rising ? x - stride : x + stride;
    // Convergence is quadratic, so a step this small leaves an error far below rounding.
    if (Math.abs(newton - x) <= 1e-10 * Math.abs(x)) return newton;
    x = newton > low && newton < high ? newton : middle();
  }
  return x;
}
