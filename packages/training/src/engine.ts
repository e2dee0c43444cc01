import type { ProgressEvent, RunOptions } from '@redef/core';

/** One encoded change and what it is. */
export interface Example {
  id: string;
  /** Token ids as the encoder gave them, special tokens included, no padding. */
  inputIds: ArrayLike<number>;
  /** 1 is defective. */
  label: 0 | 1;
}

export interface TrainingJob {
  /** Where the model is written; missing folders are made. */
  folder: string;
  train: AsyncIterable<Example> | Iterable<Example>;
  /** Chooses the epoch. May be empty: then the last epoch is kept, and the model says so. */
  validation: AsyncIterable<Example> | Iterable<Example>;
  /** Everything random in the run follows from it. */
  seed: number;
  /** Passes over the training set. */
  epochs?: number;
}

/** How far a fit is; engines that make steps tell how they go. */
export interface TrainingEvent extends ProgressEvent {
  loss?: number;
  learningRate?: number;
  tokensPerSecond?: number;
  secondsLeft?: number;
}

/** The figures of one epoch, measured after it. */
export interface EpochMetrics {
  /** 1-based. */
  epoch: number;
  /** Mean class-weighted loss over the epoch's examples, each taken before its own update. */
  trainLoss: number;
  /** F1 on the validation set, at threshold 0.5 where the engine sets no other; `null` where it is undefined (no defective change there) or not measured. */
  validationF1: number | null;
  /** The metric that chooses the epoch, where that is another one. */
  validation?: { metric: string; value: number | null };
}

export interface TrainedModel {
  folder: string;
  engine: string;
  epochs: readonly EpochMetrics[];
  /** The epoch whose weights were kept: the earliest with the highest validation F1. */
  bestEpoch: number;
  /** False where validation could not choose and the last epoch was kept. */
  selectedByValidation: boolean;
  /** Predicted defective when `score >= threshold`. */
  threshold: number;
  /** What was written, relative to the folder. */
  files: readonly string[];
  /** Where it started from a checkpoint: what that lacked, what was resized, what it had besides. */
  checkpoint?: Readonly<Record<'initialized' | 'resized' | 'surplus', readonly unknown[]>>;
}

/** The model's probability, in [0, 1], that a change is defective. */
export interface Score {
  id: string;
  score: number;
  /** Of the two classes, clean first, where the model has them: the score is the second of their softmax. */
  logits?: readonly [number, number];
}

/** A way to train and to predict. The protocol, its seeds and its report are the same whichever one is plugged in. */
export interface TrainingEngine {
  /** Named in every prediction. */
  id: string;
  /** What else decides its models, defaults included: for manifests. */
  options: Readonly<Record<string, unknown>>;
  fit(job: TrainingJob, options?: RunOptions<TrainingEvent>): Promise<TrainedModel>;
  /**
   * Scores in the order of the examples, streamed.
   *
   * @param folder a model that this engine trained
   */
  predict(
    folder: string,
    examples: AsyncIterable<Pick<Example, 'id' | 'inputIds'>> | Iterable<Pick<Example, 'id' | 'inputIds'>>,
    options?: RunOptions<ProgressEvent>,
  ): AsyncIterable<Score>;
}
