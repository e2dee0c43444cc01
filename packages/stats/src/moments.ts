import type { Numbers } from './checks.js';

/** Arithmetic mean, in two passes so that a large offset costs no digits. */
export function mean(values: Numbers): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  const first = sum / values.length;
  let rest = 0;
  for (let i = 0; i < values.length; i++) rest += values[i]! - first;
  return first + rest / values.length;
}

/** Sample variance, divisor n - 1. */
export function sampleVariance(values: Numbers): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - centre) ** 2;
  return sum / (values.length - 1);
}

/** Sample standard deviation, divisor n - 1. */
export const sampleDeviation = (values: Numbers): number => Math.sqrt(sampleVariance(values));

/** Largest absolute value, 0 of none. */
export function largestSize(values: Numbers): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!));
  return largest;
}

/** The value at `position` of ascending values, counted from 0, by linear interpolation between its neighbours. */
export function valueAt(sorted: Numbers, position: number): number {
  const below = Math.floor(position);
  const low = sorted[below]!;
  return below + 1 < sorted.length ? low + (position - below) * (sorted[below + 1]! - low) : low;
}

/** The `q`-quantile of ascending values: R's type 7, NumPy's default. */
export function quantileOfSorted(sorted: Numbers, q: number): number {
  return valueAt(sorted, q * (sorted.length - 1));
}
