import { expect, test } from 'vitest';
import { clopperPearsonInterval, cohensKappa, fleissKappa, krippendorffAlpha, wilsonInterval } from '../src/index.js';
import { close, goldenRows } from './golden.js';
import { proportion, ratingCounts, ratings, twoRaters } from './inputs.js';

test("Cohen's kappa, its standard error and interval agree with scikit-learn and statsmodels, weighted too", () => {
  goldenRows('cohens-kappa').forEach((row, index) => {
    const { a, b, k } = twoRaters(index);
    const categories = Array.from({ length: k }, (_, i) => i);
    (['none', 'linear', 'quadratic'] as const).forEach((weights, w) => {
      const place = `case ${index} ${weights}`;
      const result = cohensKappa(a, b, { weights, categories });
      close(result.kappa, row[3 * w], place);
      close(result.standardError, row[3 * w + 1], place);
      // statsmodels' interval goes beyond -1 and 1
      const low = row[3 * w + 2] ?? row[3 * w]!;
      close(result.interval.low, Math.max(-1, low), place);
      close(result.interval.high + 1, Math.min(1, 2 * row[3 * w]! - low) + 1, place);
    });
  });
});

test("Fleiss' kappa agrees with statsmodels", () => {
  goldenRows('fleiss-kappa').forEach(([kappa], index) => {
    close(fleissKappa(ratingCounts(index)).kappa, kappa, `case ${index}`);
  });
});

test("Krippendorff's alpha agrees with its definition, pair by pair", () => {
  goldenRows('krippendorff-alpha').forEach((row, index) => {
    (['nominal', 'ordinal', 'interval', 'ratio'] as const).forEach((level, i) => {
      close(krippendorffAlpha(ratings(index), { level }).alpha, row[i], `case ${index} ${level}`);
    });
  });
});

test("Krippendorff's alpha gives the values of his own worked example", () => {
  // Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C to F: four observers, twelve units.
  const _ = null;
  const observers = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
  ];
  const alpha = (level: 'nominal' | 'ordinal' | 'interval' | 'ratio') => krippendorffAlpha(observers, { level }).alpha;
  expect(alpha('nominal')).toBeCloseTo(0.743, 3);
  expect(alpha('ordinal')).toBeCloseTo(0.815, 3);
  expect(alpha('interval')).toBeCloseTo(0.849, 3);
  expect(alpha('ratio')).toBeCloseTo(0.797, 3);
});

test("Krippendorff's alpha is the same in every unit, also in those whose squares overflow or vanish", () => {
  const table = ratings(4);
  for (const level of ['interval', 'ratio'] as const) {
    const { alpha } = krippendorffAlpha(table, { level });
    for (const unit of [2 ** -1000, 2 ** 500, 2 ** 1020]) {
      const scaled = table.map((row) => row.map((value) => (value === null ? null : value * unit)));
      close(krippendorffAlpha(scaled, { level }).alpha, alpha, `${level} in units of ${unit}`);
    }
  }
});

test('Wilson and Clopper-Pearson intervals agree with statsmodels', () => {
  goldenRows('proportions').forEach((row, index) => {
    const { successes, n, level } = proportion(index);
    const place = `case ${index}: ${successes} of ${n}, ${level}`;
    const wilson = wilsonInterval(successes, n, level);
    const exact = clopperPearsonInterval(successes, n, level);
    close(wilson.low, row[0], place);
    close(wilson.high, row[1], place);
    close(exact.low, row[2], place);
    close(exact.high, row[3], place);
  });
});
