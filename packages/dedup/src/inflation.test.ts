import { expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { estimateInflation } from './inflation.js';

const train = [
  { id: 'aaaaaaaaaaaaaaaa', source: 'a' },
  { id: 'bbbbbbbbbbbbbbbb', source: 'b' },
];
const evaluated = ['a', 'b', 'c', 'd', 'e', 'f'].map((source) => ({ id: source.repeat(16), source }));
const audit = await auditData({ train, test: evaluated });

test('splits a raw-prediction table by leaked and clean rows', async () => {
  const raw = [1, 1, 1, 0, 0, 0].map((correct) => ({ raw_predictions: 'x', correctly_predicted: String(correct) }));
  const estimate = await estimateInflation(raw, audit);
  expect(estimate).toMatchObject({
    set: 'test',
    overall: { rows: 6, correct: 3, score: 0.5 },
    leaked: { rows: 2, correct: 2, score: 1 },
    clean: { rows: 4, correct: 1, score: 0.25 },
  });
  expect(estimate.leakedLessClean!.value).toBeCloseTo(0.75, 12);
  expect(estimate.inflation!.value).toBeCloseTo(0.25, 12);
});

test('joins our own predictions by id and passes over other splits', async () => {
  const record = (id: string, truth: 0 | 1, score: number, split = 'test') => ({
    schema: 'redef.prediction/1',
    id: id.repeat(16),
    model: 'm',
    encoding: 'after-only',
    seed: 1,
    split,
    truth,
    score,
    threshold: 0.5,
  });
  const predictions = [
    record('f', 1, 0.9),
    record('e', 0, 0.9),
    record('d', 1, 0.1),
    record('c', 0, 0.1),
    record('b', 1, 0.5),
    record('a', 0, 0.2),
    record('a', 1, 0.9, 'train'),
  ];
  const estimate = await estimateInflation(predictions, audit);
  expect([estimate.leaked.correct, estimate.clean.correct]).toEqual([2, 2]);
  // On all: one true positive of f, one of b; e called positive, d missed.
  expect(estimate.f1).toMatchObject({
    overall: { score: 4 / 6 },
    leaked: { score: 1 },
    clean: { score: 0.5 },
    resamples: 2000,
  });
  expect(estimate.f1!.inflation!.value).toBeCloseTo(4 / 6 - 0.5, 12);
  expect(await estimateInflation(predictions, audit)).toEqual(estimate);
  await expect(estimateInflation([...predictions, { ...predictions[0]!, seed: 2 }], audit)).rejects.toMatchObject({
    code: 'mixed-predictions',
  });
});

test('refuses predictions that do not fit the audited set', async () => {
  await expect(estimateInflation([{ correct: 1 }], audit)).rejects.toMatchObject({ code: 'prediction-count' });
  await expect(estimateInflation([{ correct: 'maybe' }], audit)).rejects.toMatchObject({ code: 'invalid-prediction' });
  await expect(estimateInflation([{ hit: 1 }], audit)).rejects.toMatchObject({ code: 'missing-column' });
  await expect(estimateInflation([], audit, { level: ['normalised'] })).rejects.toMatchObject({
    code: 'unknown-level',
  });
});
