import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export type Row = readonly (number | null)[];

/** The least number of random cases that each method is compared on: "thousands", counted, since some cases are skipped. */
export const leastCases = 2000;

/** The rows of `fixtures/<name>.json`, one per case. */
export function goldenRows<T = Row>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8')).rows;
}

/** Fails when a value is further from its reference than `tolerance` of it; references of null are not compared. */
function requireClose(
  actual: number | undefined,
  expected: number | null | undefined,
  tolerance: number,
  floor: number,
  place: string,
): void {
  if (expected === null) return;
  if (expected === undefined || actual === undefined || Number.isNaN(actual)) {
    expect.fail(`${place}: got ${actual}, expected ${expected}`);
  }
  const error = Math.abs(actual - expected);
  if (!(error <= tolerance * Math.abs(expected) + floor)) {
    expect.fail(`${place}: got ${actual}, expected ${expected}, relative error ${error / Math.abs(expected)}`);
  }
}

/** p-values: 1e-6 of the reference, however small. */
export function pClose(actual: number | undefined, expected: number | null | undefined, place: string): void {
  requireClose(actual, expected, 1e-6, 0, place);
}

/** Everything else: 1e-9 of the reference, or 1e-12 near zero, where sums cancel. */
export function close(actual: number | undefined, expected: number | null | undefined, place: string): void {
  requireClose(actual, expected, 1e-9, 1e-12, place);
}
