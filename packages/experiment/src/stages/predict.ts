import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Prediction, RedefError, type SplitName } from '@redef/core';
import { fileError, writeJsonl } from '@redef/core/files';
import type { TrainingEngine } from '@redef/training';
import * as v from 'valibot';
import { type ExampleFolders, exampleInputs, readExamples, type SplitExample } from '../examples.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface PredictStageInput extends ExampleFolders {
  /** Folder that {@link trainStage} wrote. */
  model: string;
  out: string;
  engine: TrainingEngine;
  seed: number;
  /** Default test alone. */
  splits?: readonly SplitName[];
}

/** Writes `predictions.jsonl`: one row an example of the splits, in the order of the encoded file. */
export async function predictStage(input: PredictStageInput, options: StageOptions = {}): Promise<StageResult> {
  const { model, out, engine, seed, splits = ['test'] } = input;
  return runStage(
    {
      name: 'predict',
      folder: out,
      inputFiles: { ...(await exampleInputs(input)), 'model/manifest.json': join(model, 'manifest.json') },
      config: { engine: engine.id, splits: [...splits] },
      seed,
      run: async ({ signal, onEvent }) => {
        const read = signal ? { signal } : {};
        const threshold = await readThreshold(model, engine.id);
        const asked: SplitExample[] = []; // examples whose score is still to come
        async function* examples(): AsyncGenerator<SplitExample> {
          for await (const example of readExamples(input, { ...read, splits })) {
            asked.push(example);
            yield example;
          }
        }
        async function* rows(): AsyncGenerator<Prediction> {
          for await (const { id, score } of engine.predict(model, examples(), {
            ...read,
            ...(onEvent && { onEvent }),
          })) {
            const example = asked.shift();
            if (example?.id !== id) {
              throw new RedefError(`the engine ${engine.id} gave a score for ${id} out of turn`, {
                code: 'engine-order',
                remedy: 'Report this: an engine must give its scores in the order of the examples.',
              });
            }
            const { encoding, counterfactual, split, label } = example;
            yield {
              schema: 'redef.prediction/1',
              id,
              model: engine.id,
              encoding,
              ...(counterfactual !== undefined && { counterfactual }),
              seed,
              split,
              truth: label,
              score,
              threshold,
            };
          }
        }
        const kept = await writeJsonl(join(out, 'predictions.jsonl'), rows(), read);
        return { outputs: ['predictions.jsonl'], counts: { in: kept, kept, dropped: {} } };
      },
    },
    options,
  );
}

const trainingRecord = v.looseObject({ engine: v.string(), threshold: v.number() });

async function readThreshold(folder: string, engine: string): Promise<number> {
  const path = join(folder, 'training.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), trainingRecord), text);
  if (parsed.success && parsed.output.engine === engine) return parsed.output.threshold;
  throw new RedefError(
    `${path}: ${parsed.success ? `the model is of the engine ${parsed.output.engine}, not ${engine}` : 'not the record of a trained model'}`,
    { code: 'invalid-model', remedy: 'Name a folder that redef train wrote with this engine.' },
  );
}
