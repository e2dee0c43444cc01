import { rm, stat } from 'node:fs/promises';
import { throwIfAborted } from '@redef/core';
import { readJsonlLines, writeJsonl } from '@redef/core/files';
import type { BlobReader } from '../git/blob-reader.js';
import { detectRenames } from './detect-renames.js';
import { bucketCount, movesFile, pairsFile, renamesFile, touchesFile } from './log-pass.js';
import type { MoveRow, PairRow, RenameRow } from './rows.js';
import { touchPass } from './touch-pass.js';

/** One piece of the work on a segment: a bucket of files, or (after the last bucket) its renames. */
export interface BucketTask {
  gitDirectory: string;
  folder: string;
  segment: number;
  bucket: number;
  maxFileBytes: number;
}

export const taskCount = bucketCount + 1;

/**
 * Writes a bucket's touched functions, whole or not at all; one that is there already was finished by an earlier run, and
 * a bucket without files leaves none.
 */
export async function runBucket(task: BucketTask, reader: BlobReader, signal?: AbortSignal): Promise<void> {
  const { folder, segment, bucket } = task;
  const moves = bucket === bucketCount;
  const [source, target] = moves
    ? [movesFile(folder, segment), renamesFile(folder, segment)]
    : [pairsFile(folder, segment, bucket), touchesFile(folder, segment, bucket)];
  const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;
  if (!(await exists(source))) return;
  if (!(await exists(target))) {
    await writeJsonl(target, moves ? renames(source, reader, signal) : touches(source, reader, signal));
  }
  await rm(source, { force: true });
}

async function* touches(source: string, reader: BlobReader, signal: AbortSignal | undefined) {
  const pairs: PairRow[] = [];
  for await (const { value } of readJsonlLines(source, signal ? { signal } : {})) pairs.push(value as PairRow);
  pairs.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.commit - b.commit));
  for await (const row of touchPass(pairs, reader)) {
    throwIfAborted(signal);
    if (row.touched.length > 0 || row.verdict || row.renamed) yield row;
  }
}

async function* renames(
  source: string,
  reader: BlobReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<RenameRow> {
  for await (const { value } of readJsonlLines(source, signal ? { signal } : {})) {
    yield* await detectRenames(value as MoveRow, reader);
  }
}
