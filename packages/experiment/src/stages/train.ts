import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import type { TrainedModel, TrainingEngine } from '@redef/training';
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
      config: { engine: engine.id, engine_options: engine.options, ...(epochs === undefined ? {} : { epochs }) },
      seed,
      run: async ({ signal, onEvent }) => {
        const run = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
        const counts = { train: 0, validation: 0 };
        async function* examples(split: 'train' | 'validation'): AsyncGenerator<SplitExample> {
          for await (const example of readExamples(input, { ...(signal && { signal }), splits: [split] })) {
            counts[split]++;
            yield example;
          }
        }
        const { folder: _, ...record } = await engine.fit(
          {
            folder: out,
            train: examples('train'),
            validation: examples('validation'),
            seed,
            ...(epochs === undefined ? {} : { epochs }),
          },
          run,
        );
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
