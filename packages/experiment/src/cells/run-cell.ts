import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  canonicalJson,
  type Prediction,
  type ProgressEvent,
  RedefError,
  type RunOptions,
  throwIfAborted,
} from '@redef/core';
import { digestFile, makeFolder, removeLeftovers, writeFileAtomic, writeJsonl, writeManifest } from '@redef/core/files';
import { bestThreshold } from '@redef/stats';
import type { TrainingEngine } from '@redef/training';
import { evaluateCell } from '../evaluate.js';
import { exampleInputs } from '../examples.js';
import { predictions } from '../stages/predict.js';
import { fitModel, readTrainingRecord, type TrainingRecord } from '../stages/train.js';
import { packageVersions } from '../version.js';
import type { Cell, EngineSpec } from './cell.js';
import { checkpointDigest } from './checkpoint-digest.js';
import { type ClaimOptions, claim } from './claim.js';
import { createEngine, type EngineContext, type EngineFactory } from './engines.js';
import { environment } from './environment.js';
import { type CellFailure, finishedCell, type RunStore } from './run-store.js';

export interface RunCellOptions extends RunOptions<ProgressEvent>, Pick<EngineContext, 'apiKey'> {
  /** Engines by name, in place of `studyEngines`. */
  engines?: Readonly<Record<string, EngineFactory>>;
  claim?: Omit<ClaimOptions, 'signal'>;
}

export type CellOutcome = { status: 'done'; reused: boolean } | { status: 'failed'; failure: CellFailure };

/**
 * Runs one cell unless the store has it. Any number of processes may ask for any cells of one store at once: one of them
 * runs a cell, the others wait for it. The cell's folder appears whole, by a rename, so a killed process leaves nothing
 * that looks like a result. What goes wrong in a cell is recorded in the store and given back, not thrown.
 *
 * @param cell with `examples` as paths that this process can read: see `listCells`
 * @throws `RedefError` `aborted`; or of the store itself, where not even the failure could be recorded
 */
export async function runCell(cell: Cell, store: RunStore, options: RunCellOptions = {}): Promise<CellOutcome> {
  const { signal } = options;
  if (await finishedCell(store, cell.key)) return { status: 'done', reused: true };
  const release = await claim(store.claim(cell.key), { ...options.claim, ...(signal && { signal }) });
  try {
    if (await finishedCell(store, cell.key)) return { status: 'done', reused: true };
    const work = store.work(cell.key);
    try {
      await makeFolder(work);
      await removeLeftovers(work);
      await fillFolder(cell, work, store, options);
    } catch (error) {
      throwIfAborted(signal);
      if (RedefError.isInstance(error) && error.code === 'aborted') throw error;
      const failure = failureOf(cell.key, error);
      await writeFileAtomic(store.failure(cell.key), `${JSON.stringify(failure, null, 2)}\n`);
      return { status: 'failed', failure };
    }
    await makeFolder(join(store.root, 'cells'));
    await rm(store.cell(cell.key), { recursive: true, force: true }); // one that was damaged
    await rename(work, store.cell(cell.key));
    await rm(store.failure(cell.key), { force: true });
    return { status: 'done', reused: false };
  } finally {
    await release();
  }
}

async function fillFolder(cell: Cell, work: string, store: RunStore, options: RunCellOptions): Promise<void> {
  const { signal, onEvent } = options;
  const run = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  await checkInputs(cell);
  const { key, seed, uses, threshold, inputs } = cell;
  const record = { schema: cell.schema, key, spec: withoutFolder(cell.spec), seed, uses, threshold, inputs };
  await writeFileAtomic(join(work, 'cell.json'), `${canonicalJson(record)}\n`);
  const { apiKey } = options;
  const engine = createEngine(cell.spec, { store, ...(apiKey && { apiKey }) }, options.engines);
  const model = cell.uses === undefined ? join(work, 'model') : join(store.cell(cell.uses), 'model');
  const training =
    cell.uses === undefined ? await train(cell, engine, model, run) : await usedTraining(cell.uses, store, engine);
  await writeFileAtomic(join(work, 'training.json'), `${JSON.stringify(training, null, 2)}\n`);

  const rows: Prediction[] = [];
  for await (const row of predictions(
    { ...cell.examples, engine, model, seed: cell.seed, threshold: training.threshold },
    run,
  )) {
    rows.push(row);
  }
  await writeJsonl(join(work, 'predictions.jsonl'), rows, run);
  const test = rows.some(({ split }) => split === 'test') ? evaluateCell(rows) : null;
  await writeFileAtomic(join(work, 'metrics.json'), `${JSON.stringify(test, null, 2)}\n`);
  await writeFileAtomic(join(work, 'environment.json'), `${JSON.stringify(environment(), null, 2)}\n`);

  const names = ['cell.json', 'training.json', 'predictions.jsonl', 'metrics.json', 'environment.json'];
  const models = cell.uses === undefined ? training.files.map((file) => `model/${file}`) : [];
  const outputs: Record<string, string> = {};
  for (const name of [...names, ...models].sort()) outputs[name] = await digestFile(join(work, name));
  await writeManifest(work, {
    schema: 'redef.manifest/1',
    stage: 'cell',
    versions: packageVersions,
    config: {
      spec: withoutFolder(cell.spec),
      threshold: cell.threshold,
      ...(cell.uses !== undefined && { uses: cell.uses }),
    },
    seed: cell.seed,
    inputs: cell.inputs,
    outputs,
    counts: { in: rows.length, kept: rows.length, dropped: {} },
  });
}

/** What the key is made of: nothing that only one study or one machine knows. */
function withoutFolder({ checkpoint, ...spec }: EngineSpec): Record<string, unknown> {
  return { ...spec, ...(checkpoint && { checkpoint: checkpoint.digest }) };
}

/** The files may have changed since the plan was made: what is run must be what the key says. */
async function checkInputs({ inputs, examples, spec, uses }: Cell): Promise<void> {
  for (const [name, path] of Object.entries(await exampleInputs(examples))) {
    if ((await digestFile(path)) !== inputs[name]) throw outdated(name);
  }
  const { checkpoint } = spec;
  if (!checkpoint || uses !== undefined) return;
  if ((await checkpointDigest(checkpoint.folder)) !== checkpoint.digest) throw outdated(checkpoint.folder);
}

function outdated(name: string): RedefError {
  return new RedefError(`${name} is not what the study was planned with`, {
    code: 'plan-outdated',
    remedy: 'Run redef study again: it plans anew.',
  });
}

async function train(
  cell: Cell,
  engine: TrainingEngine,
  model: string,
  run: RunOptions<ProgressEvent>,
): Promise<TrainingRecord> {
  const { epochs } = cell.spec;
  const job = { ...cell.examples, engine, seed: cell.seed, ...(epochs !== undefined && { epochs }) };
  const { record } = await fitModel(job, model, run);
  if (cell.threshold === 'fixed') return record;
  const truth: number[] = [];
  const scores: number[] = [];
  const validation = {
    ...cell.examples,
    engine,
    model,
    seed: cell.seed,
    threshold: record.threshold,
    splits: ['validation'] as const,
  };
  for await (const row of predictions(validation, run)) {
    truth.push(row.truth);
    scores.push(row.score);
  }
  return truth.includes(1) ? { ...record, threshold: bestThreshold(truth, scores).threshold } : record;
}

async function usedTraining(key: string, store: RunStore, engine: TrainingEngine): Promise<TrainingRecord> {
  if (await finishedCell(store, key)) return readTrainingRecord(store.cell(key), engine.id);
  throw new RedefError(`the cell ${key}, whose model this one is shown to, has no result`, {
    code: 'cell-not-ready',
    remedy: 'Run that cell first; redef study status tells why it has none.',
    disposition: 'retry',
  });
}

function failureOf(key: string, error: unknown): CellFailure {
  const known = RedefError.isInstance(error);
  return {
    schema: 'redef.cell-failure/1',
    key,
    code: known ? error.code : 'unexpected',
    message: error instanceof Error ? error.message : String(error),
    remedy: known ? error.remedy : 'This is a fault of redef: report it with the message.',
  };
}
