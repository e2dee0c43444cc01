import type { Prediction } from '@redef/core';
import { type CalibrationBin, calibration, mean } from '@redef/stats';
import type { TrainingRecord } from './stages/train.js';

/** What the figures draw of one model and encoding. */
export interface ConditionCurves {
  model: string;
  encoding: string;
  /** Interpolated precision, mean over seeds, at recall 0, 0.02, ... 1; empty without a defective change in the test set. */
  precisionRecall: { recall: number; precision: number }[];
  /** Ten bins over the test predictions of all seeds together. */
  calibration: readonly CalibrationBin[];
  /** Means over the seeds that reached the epoch; `validationF1` is `null` where it is undefined. */
  learning: { epoch: number; trainLoss: number; validationF1: number | null }[];
}

/** One seed's share of a condition. */
export interface CurveRun {
  model: string;
  encoding: string;
  predictions: readonly Prediction[];
  training: TrainingRecord;
}

export const recallLevels = Array.from({ length: 51 }, (_, i) => i / 50);

export function conditionCurves(runs: readonly CurveRun[]): ConditionCurves {
  const { model, encoding } = runs[0]!;
  const tests = runs.map(({ predictions }) => predictions.filter(({ split }) => split === 'test'));
  const curves = tests.flatMap((rows) => (rows.some(({ truth }) => truth === 1) ? [interpolatedPrecision(rows)] : []));
  const pooled = tests.flat();
  const epochs = Math.max(0, ...runs.map(({ training }) => training.epochs.length));
  return {
    model,
    encoding,
    precisionRecall:
      curves.length === 0
        ? []
        : recallLevels.map((recall, i) => ({ recall, precision: mean(curves.map((curve) => curve[i]!)) })),
    calibration: calibration(
      pooled.map(({ truth }) => truth),
      pooled.map(({ score }) => score),
    ).bins,
    learning: Array.from({ length: epochs }, (_, i) => {
      const reached = runs.flatMap(({ training }) => training.epochs[i] ?? []);
      const defined = reached.flatMap(({ validationF1 }) => validationF1 ?? []);
      return {
        epoch: i + 1,
        trainLoss: mean(reached.map(({ trainLoss }) => trainLoss)),
        validationF1: defined.length === 0 ? null : mean(defined),
      };
    }),
  };
}

/** At each recall level the best precision of any threshold whose recall is that or more. */
export function interpolatedPrecision(rows: readonly Pick<Prediction, 'truth' | 'score'>[]): number[] {
  const sorted = [...rows].sort((a, b) => b.score - a.score);
  const positives = rows.filter(({ truth }) => truth === 1).length;
  const points: { recall: number; precision: number }[] = [];
  let found = 0;
  sorted.forEach(({ truth, score }, i) => {
    if (truth === 1) found++;
    if (sorted[i + 1]?.score !== score) points.push({ recall: found / positives, precision: found / (i + 1) });
  });
  return recallLevels.map((level) =>
    Math.max(...points.flatMap(({ recall, precision }) => (recall >= level - 1e-12 ? precision : []))),
  );
}

/** Cumulative distribution of function lengths in tokens (ReDef, Figure 3), at each percent. */
export interface LengthDistribution {
  tokenizer: string;
  /** `tokens` is the length that `share` of the functions do not exceed. */
  percentiles: { share: number; tokens: number }[];
  /** Shares of functions that fit into 512 and 1,024 tokens, two of them special. */
  fits: { limit: number; share: number }[];
}

export function lengthDistribution(tokenizer: string, lengths: readonly number[]): LengthDistribution {
  const sorted = [...lengths].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return {
    tokenizer,
    percentiles:
      sorted.length === 0
        ? []
        : Array.from({ length: 100 }, (_, i) => ({ share: (i + 1) / 100, tokens: at((i + 1) / 100) })),
    fits: [512, 1024].map((limit) => ({
      limit,
      share: sorted.length === 0 ? 0 : sorted.filter((tokens) => tokens + 2 <= limit).length / sorted.length,
    })),
  };
}
