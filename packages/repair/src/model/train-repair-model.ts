import { type Driver, Variables } from '@redef/autodiff';
import { createRng, digestOf, RedefError, type RunOptions } from '@redef/core';
import type { LoadReport } from '@redef/models';
import { type FitEvent, type FitResult, type FitSettings, fitLoop, type Task } from '@redef/training';
import { digestOfPairs, pairsOf, type SequencePairs } from './pair-list.js';
import { loadRepairWeights, type RepairModel, readRepairModel, saveRepairModel } from './repair-model.js';
import { type Seq2SeqTask, type Seq2SeqTaskOptions, seq2seqTask } from './seq2seq-task.js';
import type { SequencePair } from './sequence-pair.js';
import { validationLoss } from './validation-loss.js';

/** R+R, section 3.4.2: fine-tuning on VulRepair; the schedule is that of VulRepair's own script. */
export const fineTuningSettings: Readonly<Partial<FitSettings>> = {
  epochs: 75,
  batchSize: 8,
  learningRate: 2e-5,
  warmUp: 0.2,
  weightDecay: 0,
  clipNorm: 1,
};

/** R+R, section 3.4.1: pre-training on the bug-fix corpus stops after three epochs without a lower validation loss. */
export const preTrainingSettings: Readonly<Partial<FitSettings>> = {
  ...fineTuningSettings,
  batchSize: 128,
  patience: 3,
};

export interface TrainRepairOptions extends Seq2SeqTaskOptions, RunOptions<FitEvent> {
  /** Where the model is written. A run that was stopped goes on in the same folder. */
  folder: string;
  /**
   * A folder whose weights to start from: a published checkpoint, or for transfer learning a repair model trained before.
   * Or a network whose weights are drawn from the seed.
   */
  start: { folder: string; settings?: Partial<RepairModel['settings']> } | RepairModel;
  /** Rows of the embedding table: the tokenizer's size, added tokens included. Default: the model's. */
  vocabularySize?: number;
  train: SequencePairs;
  /** Chooses the epoch by the lowest loss. May be empty: then the last epoch is kept. */
  validation: SequencePairs;
  seed: number;
  /** Default {@link fineTuningSettings}. */
  settings?: Partial<FitSettings>;
  driver: Driver;
  /** Milliseconds. Absent: events tell no speed. */
  now?: () => number;
}

export interface TrainedRepairModel extends FitResult {
  model: RepairModel;
  files: string[];
  /** What a folder's weights gave; absent where all were drawn. */
  checkpoint?: LoadReport;
}

/**
 * Trains a sequence-to-sequence model to repair (R+R, section 3.4) and writes it, with its best epoch's weights.
 *
 * @throws `RedefError` `empty-training-set`, `invalid-pair`, and what `fitLoop` throws
 */
export async function trainRepairModel(options: TrainRepairOptions): Promise<TrainedRepairModel> {
  const { folder, start, train, validation, seed, driver, signal, onEvent, now } = options;
  const settings = { ...fineTuningSettings, ...options.settings };
  if (train.length === 0) {
    throw new RedefError('There is nothing to train on', {
      code: 'empty-training-set',
      remedy: 'Look at the counts of what was removed or could not be read.',
    });
  }
  const base = 'folder' in start ? await readRepairModel(start.folder) : start;
  const model: RepairModel = {
    config: { ...base.config, vocab_size: options.vocabularySize ?? base.config.vocab_size },
    settings: { ...base.settings, ...('folder' in start ? start.settings : undefined) },
  };
  for (const pairs of [train, validation]) for (const pair of pairsOf(pairs)) checkPair(pair, model);

  const variables = new Variables(driver);
  const rng = createRng(seed).fork('weights');
  const checkpoint = 'folder' in start ? await loadRepairWeights(start.folder, model, variables, { rng }) : undefined;
  const task = seq2seqTask(model, options);
  const trained = { ...model, settings: { ...model.settings, seed } };
  let files: string[] = [];
  const result = await fitLoop({
    task: byPlace(task, train),
    items: Array.from({ length: train.length }, (_, index) => index),
    ...(validation.length > 0 && {
      validation: validationLoss(task, [...pairsOf(validation)], { batchSize: settings.batchSize ?? 8 }),
    }),
    variables,
    folder,
    identity: digestOf([
      model,
      'folder' in start ? start.folder : 'drawn',
      options.paddingInLoss ?? false,
      digestOfPairs(train),
      digestOfPairs(validation),
    ]),
    seed,
    settings,
    save: async () => {
      files = await saveRepairModel(folder, trained, variables);
    },
    ...(now && { now }),
    ...(signal && { signal }),
    ...(onEvent && { onEvent }),
  });
  return { ...result, model: trained, files, ...(checkpoint && { checkpoint }) };
}

/** The task over the places of pairs in a list. */
function byPlace(task: Seq2SeqTask, pairs: SequencePairs): Task<number> {
  const pairAt = (index: number): SequencePair => pairs.at(index)!;
  return {
    ...task,
    idOf: (index) => task.idOf(pairAt(index)),
    lengths: (index) => task.lengths(pairAt(index)),
    weight: (index) => task.weight(pairAt(index)),
    feeds: (indices, shape) => task.feeds(indices.map(pairAt), shape),
  };
}

function checkPair({ id, sourceIds, targetIds }: SequencePair, { config, settings }: RepairModel): void {
  const problem =
    sourceIds.length > settings.max_source_tokens || targetIds.length > settings.max_target_tokens
      ? `${sourceIds.length} + ${targetIds.length} tokens, the model takes ${settings.max_source_tokens} + ${settings.max_target_tokens}`
      : Math.max(...sourceIds, ...targetIds) >= config.vocab_size
        ? `an id of ${Math.max(...sourceIds, ...targetIds)}, the model has ${config.vocab_size} embeddings`
        : sourceIds.length === 0 || targetIds.length < 2
          ? 'an empty source or target'
          : undefined;
  if (problem === undefined) return;
  throw new RedefError(`sample ${id}: ${problem}`, {
    code: 'invalid-pair',
    remedy:
      "Tokenize with tokenizeSample and the model's own settings, and pass the tokenizer's size as vocabularySize.",
  });
}
