import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { digestFile, type Manifest, readManifest } from '@redef/core/files';
import * as v from 'valibot';
import { isAbandoned } from './claim.js';

/**
 * Where the cells of one study or of several lie. A folder under `cells` is whole or not there: it is made under `work`
 * and renamed. Nothing in it names the study, so that studies that ask for the same cell share it.
 */
export interface RunStore {
  root: string;
  /** A finished cell: `cell.json`, `training.json`, `predictions.jsonl`, `metrics.json`, `environment.json`, `model/`, `manifest.json`. */
  cell(key: string): string;
  /** The cell while it is made; what an engine left here of a killed run it may go on from. */
  work(key: string): string;
  claim(key: string): string;
  /** Why a cell failed the last time it was tried. */
  failure(key: string): string;
  /** Answers of chat models, one file a question: shared by all cells. */
  answers: string;
}

export function runStore(root: string): RunStore {
  return {
    root,
    cell: (key) => join(root, 'cells', key),
    work: (key) => join(root, 'work', key),
    claim: (key) => join(root, 'claims', key),
    failure: (key) => join(root, 'failures', `${key}.json`),
    answers: join(root, 'answers'),
  };
}

const failureSchema = v.object({
  schema: v.literal('redef.cell-failure/1'),
  key: v.string(),
  code: v.string(),
  message: v.string(),
  remedy: v.string(),
});
export type CellFailure = v.InferOutput<typeof failureSchema>;

export type CellState =
  /** `seconds`: how long its last attempt took. */
  | { state: 'done'; seconds: number }
  | { state: 'failed'; failure: CellFailure }
  /** Some process holds it, or one of another machine did when it was killed. */
  | { state: 'claimed' }
  | { state: 'open' };

/** What is known of a cell, from the store alone: no other process is asked, and no result is read. */
export async function cellState(store: RunStore, key: string): Promise<CellState> {
  const times = await Promise.all(
    ['cell.json', 'training.json', 'predictions.jsonl', 'metrics.json', 'manifest.json'].map((name) =>
      changedAt(join(store.cell(key), name)),
    ),
  );
  const [begun = 0, ended = 0] = [times[0], times.at(-1)];
  if (!times.includes(undefined)) return { state: 'done', seconds: Math.max(0, ended - begun) / 1000 };
  const claim = store.claim(key);
  if ((await changedAt(claim)) !== undefined && !(await isAbandoned(claim))) return { state: 'claimed' };
  const failure = await readFailure(store, key);
  return failure ? { state: 'failed', failure } : { state: 'open' };
}

/** The manifest of a finished cell whose results are as they were written; `undefined` where there is none. Models are not read again. */
export async function finishedCell(store: RunStore, key: string): Promise<Manifest | undefined> {
  const folder = store.cell(key);
  try {
    const manifest = await readManifest(folder);
    if (!manifest) return undefined;
    for (const [name, digest] of Object.entries(manifest.outputs)) {
      if (!name.includes('/') && (await digestFile(join(folder, name))) !== digest) return undefined;
    }
    return manifest;
  } catch (error) {
    if (RedefError.isInstance(error) && ['invalid-manifest', 'file-missing'].includes(error.code)) return undefined;
    throw error;
  }
}

export async function readFailure(store: RunStore, key: string): Promise<CellFailure | undefined> {
  const text = await readFile(store.failure(key), 'utf8').catch(() => undefined);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), failureSchema), text);
  return parsed.success ? parsed.output : undefined;
}

/** Milliseconds since 1970; `undefined` where there is no such file. */
async function changedAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
