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
 * Departure from sphericity of k >= 2 orthonormal contrasts over `subjects` subjects, from their covariance matrix.
 * Mauchly's p-value (1940) has Box's second-order term, as in R's `mauchly.test`.
 */
export function sphericity(covariance: readonly (readonly number[])[], subjects: number): Sphericity {
  const k = covariance.length;
  const df = subjects - 1;
  const meanVariance = covariance.reduce((sum, row, i) => sum + row[i]!, 0) / k;
  const relative = covariance.map((row) => row.map((value) => value / meanVariance)); // its trace is k
  const squares = relative.reduce((sum, row) => row.reduce((inner, value) => inner + value * value, sum), 0);
  const greenhouseGeisser = k / squares;
  const slack = k * (df - k * greenhouseGeisser);
  // One degree of freedom left of two subjects: the formula is 0/0, and its limit is no better than the other epsilon.
  const huynhFeldt = df > 1 && slack > 0 ? (subjects * k * greenhouseGeisser - 2) / slack : greenhouseGeisser;
  return {
    epsilonGreenhouseGeisser: greenhouseGeisser,
    epsilonHuynhFeldt: huynhFeldt,
    mauchly: df < k ? null : mauchly(relative, df),
  };
}

function mauchly(relative: number[][], n: number): Sphericity['mauchly'] {
  const k = relative.length;
  const logW = logDeterminant(relative);
  if (logW === Number.NEGATIVE_INFINITY) return null;
  const rho = 1 - (2 * k * k + k + 2) / (6 * k * n);
  const secondOrder = ((k + 2) * (k - 1) * (k - 2) * (2 * k ** 3 + 6 * k * k + 3 * k + 2)) / (288 * (n * k * rho) ** 2);
  const chiSquared = -n * rho * logW;
  const df = (k * (k + 1)) / 2 - 1;
  const first = chiSquaredTail(chiSquared, df);
  const p = first + secondOrder * (chiSquaredTail(chiSquared, df + 4) - first);
  return { w: Math.exp(logW), chiSquared, df, p: Math.min(1, Math.max(0, p)) };
}

/** ln of the determinant of a symmetric positive definite matrix by Cholesky's factors, which overwrite it; minus infinity when it is singular. */
function logDeterminant(matrix: number[][]): number {
  let sum = 0;
  for (let i = 0; i < matrix.length; i++) {
    for (let j = 0; j <= i; j++) {
      let value = matrix[i]![j]!;
      for (let m = 0; m < j; m++) value -= matrix[i]![m]! * matrix[j]![m]!;
      if (i !== j) matrix[i]![j] = value / matrix[j]![j]!;
      else if (value > 1e-14 * i) {
        matrix[i]![i] = Math.sqrt(value);
        sum += Math.log(value);
      } else return Number.NEGATIVE_INFINITY;
    }
  }
  return sum;
}
