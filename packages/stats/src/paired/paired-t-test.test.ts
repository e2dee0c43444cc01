import { expect, test } from 'vitest';
import { pairedTTest } from './paired-t-test.js';

// Student's sleep data (1908), as in R's `sleep`.
const drug1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
const drug2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

test("gives R's answer on the sleep data", () => {
  const result = pairedTTest(drug1, drug2);
  expect(result).toMatchObject({ kind: 'paired-t-test', n: 10, df: 9, alternative: 'two-sided' });
  expect(result.t).toBeCloseTo(-4.062127683, 8);
  expect(result.p).toBeCloseTo(0.00283289, 8);
  expect(result.interval.low).toBeCloseTo(-2.4598858, 7);
  expect(result.interval.high).toBeCloseTo(-0.7001142, 7);
});

test('the one-sided p-values sum to one, and the smaller is half of the two-sided one', () => {
  const greater = pairedTTest(drug1, drug2, { alternative: 'greater' });
  const less = pairedTTest(drug1, drug2, { alternative: 'less' });
  expect(greater.p + less.p).toBeCloseTo(1, 14);
  expect(less.p * 2).toBeCloseTo(pairedTTest(drug1, drug2).p, 14);
  expect(greater.interval.high).toBe(Number.POSITIVE_INFINITY);
  expect(less.interval.low).toBe(Number.NEGATIVE_INFINITY);
});

test.each([
  ['unequal lengths', [1, 2], [1], 'unequal-lengths'],
  ['a value that is no number', [1, Number.NaN], [1, 2], 'not-finite'],
  ['one pair', [1], [2], 'too-few-pairs'],
  ['equal conditions', [1, 2, 3], [1, 2, 3], 'all-differences-zero'],
  ['a constant difference', [1, 2, 3], [0, 1, 2], 'no-variation'],
])('refuses %s', (_, a, b, code) => {
  expect(() => pairedTTest(a, b)).toThrowError(expect.objectContaining({ code, remedy: expect.any(String) }));
});
