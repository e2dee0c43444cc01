import { expect, test } from 'vitest';
import { bestThreshold, calibration, deLongTest, effortMetrics, metrics, prAuc, rocAuc } from '../src/index.js';
import { close, goldenRows, leastCases, pClose, type Row } from './golden.js';
import { efforts, scored, twoModels } from './inputs.js';

test('metrics agree with scikit-learn, ties and single classes included', () => {
  let undefinedSeen = 0;
  let twoClasses = 0;
  goldenRows('classification').forEach((row, index) => {
    const { truth, scores } = scored(index);
    const place = `case ${index}`;
    const result = metrics(truth, scores);
    const [accuracy, precision, recall, f1, mcc, balanced, average, trapezoid, roc, brier, threshold] = row;
    close(result.accuracy, accuracy, `${place} accuracy`);
    close(result.precision, precision, `${place} precision`);
    close(result.recall, recall, `${place} recall`);
    close(result.f1, f1, `${place} f1`);
    close(result.mcc, mcc, `${place} mcc`);
    close(result.balancedAccuracy, balanced, `${place} balanced accuracy`);
    close(result.prAuc, average, `${place} average precision`);
    close(prAuc(truth, scores, 'trapezoid'), trapezoid, `${place} trapezoid`);
    close(result.rocAuc, roc, `${place} ROC area`);
    close(result.brier, brier, `${place} Brier`);
    expect(rocAuc(truth, scores)).toBe(result.rocAuc);
    if (threshold !== null) {
      close(bestThreshold(truth, scores).threshold, threshold, `${place} best threshold`);
      twoClasses++;
    }
    expect('prAuc' in result.undefinedBecause, place).toBe(average === null);
    expect('rocAuc' in result.undefinedBecause, place).toBe(roc === null);
    if (Object.keys(result.undefinedBecause).length > 0) undefinedSeen++;
  });
  expect(undefinedSeen).toBeGreaterThan(100);
  expect(twoClasses).toBeGreaterThanOrEqual(leastCases);
});

test("bins agree with scikit-learn's calibration curve", () => {
  const compared = { uniform: 0, quantile: 0 };
  goldenRows<number[][] | null>('calibration').forEach((row, index) => {
    if (row === null) return; // scikit-learn takes two classes only
    const { truth, scores } = scored(index);
    (['uniform', 'quantile'] as const).forEach((strategy, s) => {
      // An edge that falls on a score: NumPy's rounding decides there on which side of it the score lies.
      if (strategy === 'quantile' && truth.length % 5 === 1) return;
      compared[strategy]++;
      const filled = calibration(truth, scores, { bins: 5, strategy }).bins.filter((bin) => bin.count > 0);
      expect(filled.length, `case ${index} ${strategy}`).toBe(row[2 * s]!.length);
      filled.forEach((bin, i) => {
        close(bin.positiveShare, row[2 * s]![i], `case ${index} ${strategy} share ${i}`);
        close(bin.meanProbability, row[2 * s + 1]![i], `case ${index} ${strategy} mean ${i}`);
      });
    });
  });
  expect(Math.min(compared.uniform, compared.quantile)).toBeGreaterThanOrEqual(leastCases);
});

test('effort-aware metrics agree with their definitions', () => {
  const rows = goldenRows<Row | null>('effort');
  expect(rows.filter((row) => row !== null).length).toBeGreaterThanOrEqual(leastCases);
  rows.forEach((row, index) => {
    if (row === null) return; // without a defect
    const { truth, scores } = scored(index, 3, 60);
    const effort = efforts(index, truth.length);
    const result = effortMetrics(truth, scores, effort);
    close(result.recallAtEffort, row[0], `case ${index} recall at effort`);
    close(result.effortAtRecall, row[1], `case ${index} effort at recall`);
    close(result.pOpt, row[2], `case ${index} P_opt`);
    close(result.ifa, row[3], `case ${index} IFA`);
    close(result.pciAtEffort, row[4], `case ${index} PCI`);
    close(effortMetrics(truth, scores, effort, { pOptArea: 'deciles' }).pOpt, row[5], `case ${index} P_opt by deciles`);
  });
});

test("DeLong's test agrees with pROC", () => {
  const hasSpread = (row: Row) => row[5] !== row[6]; // pROC gives z = 0 where the variance is zero, we nothing
  const rows = goldenRows('delong');
  expect(rows.filter(hasSpread).length).toBeGreaterThanOrEqual(leastCases);
  rows.forEach((row, index) => {
    const { truth, first, second } = twoModels(index);
    if (!hasSpread(row)) {
      expect(() => deLongTest(truth, first, second), `case ${index}`).toThrow(/has no spread/);
      return;
    }
    const place = `case ${index}`;
    const result = deLongTest(truth, first, second);
    close(result.areaFirst, row[0], place);
    close(result.areaSecond, row[1], place);
    close(result.z, row[2], place);
    pClose(result.p, row[3], place);
    pClose(deLongTest(truth, first, second, { alternative: 'greater' }).p, row[4], place);
    close(result.interval.low, row[5], place);
    close(result.interval.high, row[6], place);
  });
});
