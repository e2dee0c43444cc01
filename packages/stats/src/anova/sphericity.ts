import { chiSquaredTail } from '../special/tails.js';

export interface Sphericity {
  /** Greenhouse and Geisser's epsilon (1959), from 1 / contrasts to 1. */
  epsilonGreenhouseGeisser: number;
  /** Huynh and Feldt's epsilon (1976). May exceed 1, as in R; 1 is used for the p-value then. */
  epsilonHuynhFeldt: number;
  /** Mauchly's test; null when the subjects are no more than the contrasts, where it does not exist. */
  mauchly: { w: number; chiSquared: number; df: number; p: number } | null;
}

/**
 * Departure from sphericity of k >= 2 orthonormal contrasts, from each subject's deviations from their means: `[subject][contrast]`.
 * Mauchly's p-value (1940) has Box's second-order term, as in R's `mauchly.test`.
 */
export function sphericity(deviations: readonly (readonly number[])[]): Sphericity {
  const subjects = deviations.length;
  const k = deviations[0]!.length;
  const df = subjects - 1;
  const meanSquare = deviations.flat().reduce((sum, value) => sum + value * value, 0) / k;
  const columns = Array.from({ length: k }, (_, c) => deviations.map((d) => d[c]! / Math.sqrt(meanSquare)));
  // Their products are the covariances, in units that make the trace k.
  const squares = columns
    .flatMap((x) => columns.map((y) => x.reduce((sum, value, s) => sum + value * y[s]!, 0)))
    .reduce((sum, value) => sum + value * value, 0);
  const greenhouseGeisser = k / squares;
  const slack = k * (df - k * greenhouseGeisser);
  // One degree of freedom left of two subjects: the formula is 0/0, and its limit is no better than the other epsilon.
  const huynhFeldt = df > 1 && slack > 0 ? (subjects * k * greenhouseGeisser - 2) / slack : greenhouseGeisser;
  return {
    epsilonGreenhouseGeisser: greenhouseGeisser,
    epsilonHuynhFeldt: huynhFeldt,
    mauchly: df < k ? null : mauchly(columns, df),
  };
}

function mauchly(columns: readonly (readonly number[])[], n: number): Sphericity['mauchly'] {
  const k = columns.length;
  const logW = logGramDeterminant(columns);
  if (logW === Number.NEGATIVE_INFINITY) return null;
  const rho = 1 - (2 * k * k + k + 2) / (6 * k * n);
  const secondOrder = ((k + 2) * (k - 1) * (k - 2) * (2 * k ** 3 + 6 * k * k + 3 * k + 2)) / (288 * (n * k * rho) ** 2);
  const chiSquared = -n * rho * logW;
  const df = (k * (k + 1)) / 2 - 1;
  const first = chiSquaredTail(chiSquared, df);
  const p = first + secondOrder * (chiSquaredTail(chiSquared, df + 4) - first);
  return { w: Math.exp(logW), chiSquared, df, p: Math.min(1, Math.max(0, p)) };
}

/**
 * ln of the determinant of the columns' Gram matrix, from the lengths that remain of them once each is made orthogonal
 * to those before it: half the digits of nearly dependent columns would be lost in the matrix itself. Minus infinity
 * when one is dependent but for rounding. Columns have a mean square length of one.
 */
function logGramDeterminant(columns: readonly (readonly number[])[]): number {
  const rest = columns.map((column) => Float64Array.from(column));
  const product = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, s) => sum + value * y[s]!, 0);
  let sum = 0;
  for (const [i, column] of rest.entries()) {
    const length = product(column, column);
    if (!(length > 1e-14 * i)) return Number.NEGATIVE_INFINITY;
    sum += Math.log(length);
    for (const later of rest.slice(i + 1)) {
      const share = product(column, later) / length;
      for (let s = 0; s < later.length; s++) later[s]! -= share * column[s]!;
    }
  }
  return sum;
}
