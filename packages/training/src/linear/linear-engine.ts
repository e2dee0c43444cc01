import { setImmediate } from 'node:timers/promises';
import { createRng, type ProgressEvent, RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { metrics } from '@redef/stats';
import { balancedWeight } from '../balanced-weight.js';
import { checkSeed } from '../check-seed.js';
import type { EpochMetrics, Example, Score, TrainedModel, TrainingEngine, TrainingJob } from '../engine.js';
import { hashedTokenCounts, type SparseVector } from './features.js';
import { LogisticRegression, sigmoid } from './logistic-regression.js';
import { modelFileName, readLinearModel, writeLinearModel } from './model-file.js';

export interface LinearEngineOptions {
  /** Number of feature buckets, a power of two. Default 2^18. */
  bucketCount?: number;
  /** AdaGrad's step size. Default 0.5. */
  learningRate?: number;
  /** Penalty on squared weights. Default 1e-3. */
  l2?: number;
}

interface Row {
  input: SparseVector;
  label: 0 | 1;
}

const threshold = 0.5;
const defaultEpochs = 20;

/**
 * The baseline that every language model must beat: a logistic regression over hashed counts of the encoded change's
 * tokens, the positive class weighted N_neg / N_pos (ReDef, section 4.4). It sees neither order nor polarity beyond the
 * tags an encoding adds. Simple models of this kind have beaten deep ones on commit-level data (Pornprasit and
 * Tantithamthavorn, "JITLine", MSR 2021).
 *
 * The seed decides the order of the examples in each epoch. Holds the features of the training and validation sets in
 * memory, some 12 bytes a distinct token of each example.
 */
export function createLinearEngine({
  bucketCount = 2 ** 18,
  learningRate = 0.5,
  l2 = 1e-3,
}: LinearEngineOptions = {}): TrainingEngine {
  if (!Number.isInteger(Math.log2(bucketCount)) || bucketCount < 2 || bucketCount > 2 ** 24) {
    throw invalidOption(`bucketCount must be a power of two from 2 to 2^24, got ${bucketCount}`);
  }
  if (!(learningRate > 0 && Number.isFinite(learningRate)))
    throw invalidOption(`learningRate must be above 0, got ${learningRate}`);
  if (!(l2 >= 0 && Number.isFinite(l2))) throw invalidOption(`l2 must be 0 or more, got ${l2}`);

  return {
    id: 'linear',
    options: { bucketCount, learningRate, l2 },

    async fit(job: TrainingJob, { signal, onEvent }: RunOptions<ProgressEvent> = {}): Promise<TrainedModel> {
      const { folder, seed, epochs = defaultEpochs } = job;
      if (!Number.isInteger(epochs) || epochs < 1) throw invalidOption(`epochs must be 1 or more, got ${epochs}`);
      checkSeed(seed);
      const train = await collect(job.train, bucketCount, signal);
      const validation = await collect(job.validation, bucketCount, signal);
      const positiveWeight = balancedWeight(train);
      const canSelect = validation.some(({ label }) => label === 1);

      const rng = createRng(seed).fork('linear');
      const model = new LogisticRegression(bucketCount);
      const history: EpochMetrics[] = [];
      let best = { epoch: 0, f1: Number.NEGATIVE_INFINITY, weights: model.weights.slice(), bias: 0 };
      for (let epoch = 1; epoch <= epochs; epoch++) {
        await setImmediate(); // a signal that came meanwhile is heard
        throwIfAborted(signal);
        let loss = 0;
        for (const { input, label } of rng.fork(epoch).shuffle(train)) {
          loss += model.update(input, label, { weight: label === 1 ? positiveWeight : 1, learningRate, l2 });
        }
        const validationF1 = canSelect ? f1(model, validation) : null;
        history.push({ epoch, trainLoss: loss / train.length, validationF1 });
        if (validationF1 === null || validationF1 > best.f1) {
          best = { epoch, f1: validationF1 ?? best.f1, weights: model.weights.slice(), bias: model.bias };
        }
        onEvent?.({ type: 'progress', stage: 'train', done: epoch, total: epochs, unit: 'epochs' });
      }

      model.weights.set(best.weights);
      model.bias = best.bias;
      await writeLinearModel(folder, model);
      return {
        folder,
        engine: 'linear',
        epochs: history,
        bestEpoch: best.epoch,
        selectedByValidation: canSelect,
        threshold,
        files: [modelFileName],
      };
    },

    async *predict(folder, examples, { signal } = {}): AsyncGenerator<Score, void, undefined> {
      const model = await readLinearModel(folder);
      for await (const { id, inputIds } of examples) {
        throwIfAborted(signal);
        yield { id, score: sigmoid(model.logit(hashedTokenCounts(inputIds, model.bucketCount))) };
      }
    },
  };
}

async function collect(
  examples: AsyncIterable<Example> | Iterable<Example>,
  bucketCount: number,
  signal: AbortSignal | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { inputIds, label } of examples) {
    throwIfAborted(signal);
    rows.push({ input: hashedTokenCounts(inputIds, bucketCount), label });
  }
  return rows;
}

function f1(model: LogisticRegression, rows: readonly Row[]): number {
  return metrics(
    rows.map(({ label }) => label),
    rows.map(({ input }) => sigmoid(model.logit(input))),
    { threshold },
  ).f1;
}

function invalidOption(message: string): RedefError {
  return new RedefError(message, { code: 'invalid-option', remedy: 'Leave the option out to take the default.' });
}
