import fc from 'fast-check';
import { expect, test } from 'vitest';
import { incompleteBeta } from './beta.js';
import { betaQuantile, normalUpperQuantile, studentUpperQuantile } from './quantiles.js';
import { normalTail, studentTail } from './tails.js';

const probability = fc.double({ min: -300, max: -1e-3, noNaN: true }).map((exponent) => 10 ** exponent);
function closeRelative(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual / expected - 1)).toBeLessThan(tolerance);
}

test('the normal quantile inverts the tail down to 1e-300', () => {
  fc.assert(fc.property(probability, (p) => closeRelative(normalTail(normalUpperQuantile(p)), p, 1e-11)));
});

test("Student's quantile inverts the tail", () => {
  const cases = fc.tuple(
    fc.double({ min: -30, max: -1e-3, noNaN: true }),
    fc.double({ min: 0.5, max: 1e6, noNaN: true }),
  );
  fc.assert(
    fc.property(cases, ([exponent, df]) =>
      closeRelative(studentTail(studentUpperQuantile(10 ** exponent, df), df), 10 ** exponent, 1e-9),
    ),
  );
});

test('the beta quantile inverts the lower tail', () => {
  const shape = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 0.5, noNaN: true }), shape, shape, (p, a, b) =>
      closeRelative(incompleteBeta(a, b, betaQuantile(p, a, b)), p, 1e-9),
    ),
  );
});

test('quantiles are odd about a half', () => {
  expect(normalUpperQuantile(0.5)).toBe(0);
  expect(normalUpperQuantile(0.75)).toBe(-normalUpperQuantile(0.25));
  expect(studentUpperQuantile(0.75, 3)).toBe(-studentUpperQuantile(0.25, 3));
});
