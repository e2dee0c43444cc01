import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgressEvent, RedefError, type RunOptions } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import type { TrainedModel, TrainingEngine } from '@redef/training';
import * as v from 'valibot';
import { checkpointDigest } from '../cells/checkpoint-digest.js';
import { type ExampleFolders, exampleInputs, readExamples, type SplitExample } from '../examples.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface TrainStageInput extends ExampleFolders {
  out: string;
  engine: TrainingEngine;
  seed: number;
  /** Default: the engine's own. */
  epochs?: number;
}

/** What `training.json` tells of a model: {@link TrainedModel} without the folder it lies in. */
export type TrainingRecord = Omit<TrainedModel, 'folder'>;

/** Trains on the training split, chooses the epoch on the validation split; writes the model and `training.json`. */
export async function trainStage(input: TrainStageInput, options: StageOptions = {}): Promise<StageResult> {
  const { out, engine, seed, epochs } = input;
  return runStage(
    {
      name: 'train',
      folder: out,
      inputFiles: await exampleInputs(input),
      inputDigests: await baseDigest(engine),
      config: { engine: engine.id, engine_options: engine.options, ...(epochs === undefined ? {} : { epochs }) },
      seed,
      run: async (run) => {
        const { record, counts } = await fitModel(input, out, run);
        await writeFileAtomic(join(out, 'training.json'), `${JSON.stringify(record, null, 2)}\n`);
        const total = counts.train + counts.validation;
        return {
          outputs: ['training.json', ...record.files],
          counts: { in: total, kept: total, dropped: {} },
          details: { ...counts, best_epoch: record.bestEpoch },
        };
      },
    },
    options,
  );
}

/** Of the checkpoint that an engine starts from: the path, which is one of its options, says nothing of what lies there. */
export async function baseDigest({ options: { model } }: TrainingEngine): Promise<Record<string, string>> {
  const isFolder = typeof model === 'object' && model !== null && 'checkpoint' in model;
  return isFolder ? { base: await checkpointDigest(String(model.checkpoint)) } : {};
}

/** Fits on the training and validation splits of the folders, and counts their examples. */
export async function fitModel(
  input: Omit<TrainStageInput, 'out'>,
  folder: string,
  { signal, onEvent }: RunOptions<ProgressEvent>,
): Promise<{ record: TrainingRecord; counts: { train: number; validation: number } }> {
  const { engine, seed, epochs } = input;
  const counts = { train: 0, validation: 0 };
  async function* examples(split: 'train' | 'validation'): AsyncGenerator<SplitExample> {
    for await (const example of readExamples(input, { ...(signal && { signal }), splits: [split] })) {
      counts[split]++;
      yield example;
    }
  }
  const { folder: _, ...record } = await engine.fit(
    {
      folder,
      train: examples('train'),
      validation: examples('validation'),
      seed,
      ...(epochs === undefined ? {} : { epochs }),
    },
    { ...(signal && { signal }), ...(onEvent && { onEvent }) },
  );
  return { record, counts };
}

const trainingRecord = v.looseObject({
  engine: v.string(),
  epochs: v.array(v.object({ epoch: v.number(), trainLoss: v.number(), validationF1: v.nullable(v.number()) })),
  bestEpoch: v.number(),
  selectedByValidation: v.boolean(),
  threshold: v.number(),
  files: v.array(v.string()),
}) satisfies v.GenericSchema<unknown, TrainingRecord>;

/** @throws `RedefError` `file-missing`, or `invalid-model` where `training.json` is none, or not one of this engine */
export async function readTrainingRecord(folder: string, engine?: string): Promise<TrainingRecord> {
  const path = join(folder, 'training.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), trainingRecord), text);
  if (parsed.success && (engine === undefined || parsed.output.engine === engine)) return parsed.output;
  throw new RedefError(
    `${path}: ${parsed.success ? `the model is of the engine ${parsed.output.engine}, not ${engine}` : 'not the record of a trained model'}`,
    { code: 'invalid-model', remedy: 'Name a folder that redef train wrote with this engine.' },
  );
}
