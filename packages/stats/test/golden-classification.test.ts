import { expect, test } from 'vitest';
import { bestThreshold, calibration, deLongTest, effortMetrics, metrics, prAuc, rocAuc } from '../src/index.js';
import { close, goldenRows, pClose, type Row } from './golden.js';
import { efforts, scored, twoModels } from './inputs.js';

test('metrics agree with scikit-learn, ties and single classes included', () => {
  let undefinedSeen = 0;
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
    if (threshold !== null) close(bestThreshold(truth, scores).threshold, threshold, `${place} best threshold`);
    expect('prAuc' in result.undefinedBecause, place).toBe(average === null);
    expect('rocAuc' in result.undefinedBecause, place).toBe(roc === null);
    if (Object.keys(result.undefinedBecause).length > 0) undefinedSeen++;
  });
  expect(undefinedSeen).toBeGreaterThan(100);
});

test("bins agree with scikit-learn's calibration curve", () => {
  goldenRows<number[][]>('calibration').forEach((row, index) => {
    const { truth, scores } = scored(index);
    if (row[0]!.length === 0) return; // scikit-learn takes two classes only
    (['uniform', 'quantile'] as const).forEach((strategy, s) => {
      // An edge that falls on a score: NumPy's rounding decides there on which side of it the score lies.
      if (strategy === 'quantile' && truth.length % 7 === 1) return;
      const filled = calibration(truth, scores, { bins: 7, strategy }).bins.filter((bin) => bin.count > 0);
      expect(filled.length, `case ${index} ${strategy}`).toBe(row[2 * s]!.length);
      filled.forEach((bin, i) => {
        close(bin.positiveShare, row[2 * s]![i], `case ${index} ${strategy} share ${i}`);
        close(bin.meanProbability, row[2 * s + 1]![i], `case ${index} ${strategy} mean ${i}`);
      });
    });
  });
});

test('effort-aware metrics agree with their definitions', () => {
  goldenRows<Row | null>('effort').forEach((row, index) => {
    const { truth, scores } = scored(index, 3, 60);
    const effort = efforts(index, truth.length);
    if (row === null) return;
    const result = effortMetrics(truth, scores, effort);
    close(result.recallAtEffort, row[0], `case ${index} recall at effort`);
    close(result.effortAtRecall, row[1], `case ${index} effort at recall`);
    close(result.pOpt, row[2], `case ${index} P_opt`);
    close(result.ifa, row[3], `case ${index} IFA`);
    close(result.pciAtEffort, row[4], `case ${index} PCI`);
  });
});

test("DeLong's test agrees with pROC", () => {
  goldenRows('delong').forEach((row, index) => {
    const { truth, first, second } = twoModels(index);
    if (row[2] === null) return; // pROC gives no z where the variance is zero
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
