import { expect, test } from 'vitest';
import { betaQuantile, normalUpperQuantile, studentUpperQuantile } from '../src/special/quantiles.js';
import { studentizedRangeTail, studentizedRangeUpperQuantile } from '../src/special/studentized-range.js';
import { chiSquaredTail, fTail, normalTail, studentTail } from '../src/special/tails.js';
import { close, goldenRows, pClose } from './golden.js';
import { quantilePoint, tailPoint } from './inputs.js';

test("upper tails agree with R's pnorm, pt, pf and pchisq", () => {
  let smallest = 1;
  goldenRows('tails').forEach(([normal, student, f, chiSquared], index) => {
    const at = tailPoint(index);
    const place = `case ${index}: ${JSON.stringify(at)}`;
    pClose(normalTail(at.z), normal, place);
    pClose(studentTail(at.t, at.df), student, place);
    pClose(fTail(at.f, at.df1, at.df2), f, place);
    pClose(chiSquaredTail(at.x, at.k), chiSquared, place);
    smallest = Math.min(smallest, normal!);
  });
  expect(smallest).toBeLessThan(1e-15);
});

test("quantiles agree with R's qnorm, qt and qbeta", () => {
  goldenRows('quantiles').forEach(([normal, student, beta], index) => {
    const { p, df, a, b } = quantilePoint(index);
    const place = `case ${index}: ${JSON.stringify({ p, df, a, b })}`;
    close(normalUpperQuantile(p), normal, place);
    close(studentUpperQuantile(p, df), student, place);
    close(betaQuantile(p, a, b), beta, place);
  });
});

test('the studentized range agrees with its integral in 25 digits', () => {
  goldenRows('studentized-range').forEach(([p], index) => {
    const { q, groups } = tailPoint(index);
    pClose(studentizedRangeTail(q, groups), p, `case ${index}: q ${q}, ${groups} groups`);
  });
});

test('the quantile of the studentized range inverts its tail', () => {
  for (const groups of [2, 3, 5, 12]) {
    for (const p of [0.9, 0.1, 0.05, 0.01, 1e-10]) {
      pClose(studentizedRangeTail(studentizedRangeUpperQuantile(p, groups), groups), p, `${groups} groups, p ${p}`);
    }
  }
});
