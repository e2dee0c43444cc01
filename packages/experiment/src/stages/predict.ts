import { join } from 'node:path';
import { type Prediction, type ProgressEvent, RedefError, type RunOptions, type SplitName } from '@redef/core';
import { writeJsonl } from '@redef/core/files';
import type { TrainingEngine } from '@redef/training';
import type { ChatScore } from '../chat/chat-engine.js';
import { type ExampleFolders, exampleInputs, readExamples, type SplitExample } from '../examples.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';
import { baseDigest, readTrainingRecord } from './train.js';

export interface PredictStageInput extends ExampleFolders {
  /** Folder that `trainStage` wrote. */
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
      inputDigests: await baseDigest(engine),
      config: { engine: engine.id, splits: [...splits] },
      seed,
      run: async (run) => {
        const { threshold } = await readTrainingRecord(model, engine.id);
        const rows = predictions({ ...input, splits, threshold }, run);
        const kept = await writeJsonl(join(out, 'predictions.jsonl'), rows, run);
        return { outputs: ['predictions.jsonl'], counts: { in: kept, kept, dropped: {} } };
      },
    },
    options,
  );
}

/**
 * The model's scores for the examples of the splits, in the order of the encoded file, joined with what is known of them.
 *
 * @throws `RedefError` `engine-order` where the engine gives a score out of turn, or too few
 */
export async function* predictions(
  input: Omit<PredictStageInput, 'out'> & { threshold: number },
  { signal, onEvent }: RunOptions<ProgressEvent>,
): AsyncGenerator<Prediction, void, undefined> {
  const { model, engine, seed, splits = ['test'], threshold } = input;
  const read = signal ? { signal } : {};
  const asked: SplitExample[] = []; // examples whose score is still to come
  async function* examples(): AsyncGenerator<SplitExample> {
    for await (const example of readExamples(input, { ...read, splits })) {
      asked.push(example);
      yield example;
    }
  }
  const scores: AsyncIterable<ChatScore> = engine.predict(model, examples(), { ...read, ...(onEvent && { onEvent }) });
  for await (const { id, score, unanswered } of scores) {
    const example = asked.shift();
    if (example?.id !== id) throw outOfTurn(engine, `gave a score for ${id} out of turn`);
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
      ...(unanswered !== undefined && { unanswered }),
    };
  }
  if (asked.length > 0) throw outOfTurn(engine, `gave no score for ${asked[0]!.id}`);
}

function outOfTurn(engine: TrainingEngine, what: string): RedefError {
  return new RedefError(`the engine ${engine.id} ${what}`, {
    code: 'engine-order',
    remedy: 'Report this: an engine must give a score for each example, in their order.',
  });
}
