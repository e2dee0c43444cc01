import { join } from 'node:path';
import { Counter, type ProgressEvent } from '@redef/core';
import { notModified, singleFile } from '../changes/single-file.js';
import { type Commit, streamLog } from '../git/log-stream.js';
import type { ResolvedFilter } from '../options.js';
import { RowWriter } from './row-writer.js';
import type { CommitRow, MoveRow, PairRow } from './rows.js';

/** Files of one history are spread over so many buckets by their path; one bucket at a time is held in memory. */
export const bucketCount = 32;

export const pairsFile = (folder: string, segment: number, bucket: number): string =>
  join(folder, `pairs-${segment}-${bucket}.jsonl`);
export const movesFile = (folder: string, segment: number): string => join(folder, `moves-${segment}.jsonl`);
export const touchesFile = (folder: string, segment: number, bucket: number): string =>
  join(folder, `touches-${segment}-${bucket}.jsonl`);
export const renamesFile = (folder: string, segment: number): string => join(folder, `renames-${segment}.jsonl`);
export const commitsFile = (folder: string): string => join(folder, 'commits.jsonl');

export interface LogPassOptions {
  folder: string;
  segment: number;
  /** Commits and bytes that earlier segments left in `commits.jsonl`. */
  commits: number;
  bytes: number;
  revisions: readonly string[];
  filter: Pick<ResolvedFilter, 'accepts' | 'ignores'>;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: ProgressEvent) => void) | undefined;
}

/** Spills a stretch of history: its commits into one file, its modified files into buckets, its possible renames into another. */
export async function logPass(
  gitDirectory: string,
  { folder, segment, commits, bytes, revisions, filter, signal, onEvent }: LogPassOptions,
): Promise<{ commits: number; bytes: number; counts: Record<string, number> }> {
  const counts = new Counter();
  // a file is there only once it has a row
  const writers = new Map<string, RowWriter>();
  const open = async (path: string, keep = 0): Promise<RowWriter> => {
    let writer = writers.get(path);
    if (!writer) {
      writer = await RowWriter.open(path, keep);
      writers.set(path, writer);
    }
    return writer;
  };
  let index = commits;
  try {
    const commitRows = await open(commitsFile(folder), bytes);
    for await (const commit of streamLog(gitDirectory, { revisions, signal })) {
      const row = commitRow(commit, filter, counts);
      await commitRows.write(row);
      if (commit.parents.length === 1) {
        for (const pair of pairsOf(commit, index, filter, row.file !== undefined)) {
          counts.add('file_modifications');
          await (await open(pairsFile(folder, segment, bucketOf(pair.path)))).write(pair);
        }
        const move = moveOf(commit, index, filter);
        if (move) await (await open(movesFile(folder, segment))).write(move);
      }
      index++;
      if (index % 2000 === 0) onEvent?.({ type: 'progress', stage: 'log', done: index, unit: 'commits' });
    }
    onEvent?.({ type: 'progress', stage: 'log', done: index, total: index, unit: 'commits' });
    return { commits: index, bytes: commitRows.bytes, counts: counts.toJSON() };
  } finally {
    await Promise.all([...writers.values()].map((writer) => writer.close()));
  }
}

function commitRow(commit: Commit, filter: LogPassOptions['filter'], counts: Counter): CommitRow {
  const { hash, parents, author, authoredAt, committedAt, committedSeconds, message } = commit;
  const found = singleFile(commit, filter);
  counts.add('commits');
  counts.add(`commits_${found.kind.replaceAll('-', '_')}`);
  return {
    hash,
    parents,
    author,
    authoredAt,
    committedAt,
    committedSeconds,
    message,
    ...(commit.messageRepaired ? { messageRepaired: true as const } : {}),
    ...(found.kind === 'modified'
      ? { file: { path: found.file.path, oldBlob: found.file.oldBlob, newBlob: found.file.newBlob } }
      : {}),
    ...(found.kind === 'not-modified' ? { reject: { path: found.path, reason: found.reject.reason } } : {}),
    ...(found.kind === 'modified' || found.kind === 'not-modified' ? {} : { kind: found.kind }),
  };
}

function* pairsOf(
  commit: Commit,
  index: number,
  filter: LogPassOptions['filter'],
  single: boolean,
): Generator<PairRow> {
  for (const file of commit.files) {
    if (!filter.accepts(file.path) || notModified(file)) continue;
    yield {
      commit: index,
      path: file.path,
      oldBlob: file.oldBlob,
      newBlob: file.newBlob,
      single: single && !filter.ignores(file.path),
    };
  }
}

function moveOf(commit: Commit, index: number, filter: LogPassOptions['filter']): MoveRow | undefined {
  const deleted: MoveRow['deleted'] = [];
  const added: MoveRow['added'] = [];
  for (const { status, path, oldBlob, newBlob } of commit.files) {
    if (status === 'D' && filter.accepts(path)) deleted.push({ path, blob: oldBlob });
    else if (status === 'A' && filter.accepts(path)) added.push({ path, blob: newBlob });
  }
  return deleted.length > 0 && added.length > 0 ? { commit: index, deleted, added } : undefined;
}

/** FNV-1a over the path's UTF-16 units. */
export function bucketOf(path: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % bucketCount;
}
