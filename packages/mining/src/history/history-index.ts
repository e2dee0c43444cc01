import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, type ProgressEvent, throwIfAborted } from '@redef/core';
import { lock, makeFolder } from '@redef/core/files';
import { BlobReader } from '../git/blob-reader.js';
import { askGit } from '../git/git-process.js';
import type { Repository } from '../git/repository.js';
import type { ResolvedFilter } from '../options.js';
import {
  checkFiles,
  functionBytes,
  type IndexState,
  indexVersion,
  readIndexState,
  writeIndexState,
} from './index-state.js';
import { logPass } from './log-pass.js';
import { runBucket, taskCount } from './run-bucket.js';
import { runInWorkers } from './worker-pool.js';

export interface HistoryIndexOptions {
  repository: Repository;
  head: string;
  folder: string | undefined;
  filter: ResolvedFilter;
  /** The options that decide which files are read, for the index to be told from one of other options. */
  config: Record<string, unknown>;
  workers: number;
  signal?: AbortSignal | undefined;
  onEvent?: ((event: ProgressEvent) => void) | undefined;
}

/** What was read of a history, on disk. */
export interface HistoryIndex {
  folder: string;
  state: IndexState;
  /** How the folder was found: `new`, `extended`, `current`, or `rewritten` and built again. */
  found: 'new' | 'extended' | 'current' | 'rewritten';
  /** Gives the folder back to other runs; removes a temporary one. */
  close(): Promise<void>;
}

/**
 * Brings an index folder up to a head: reads only the commits that it lacks, goes on where a stopped run left off, and
 * begins again where the history was rewritten (its last head is no ancestor of this one) or the configuration changed.
 * The folder is this run's alone until it is closed.
 */
export async function openHistoryIndex(options: HistoryIndexOptions): Promise<HistoryIndex> {
  const { repository, head, filter, signal, onEvent } = options;
  const temporary = options.folder === undefined;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'redef-mining-')));
  let unlock = async (): Promise<void> => {};
  const close = async (): Promise<void> => {
    await unlock();
    if (temporary) await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeFolder(folder);
    unlock = await lock(join(folder, 'index'));
    const config = canonicalJson(options.config);
    const earlier = await readIndexState(folder);
    let found: HistoryIndex['found'] = 'new';
    let state: IndexState = { schema: indexVersion, config, segments: [] };
    const last = earlier?.segments.at(-1);
    if (earlier && last) {
      const kept = earlier.config === config && (await reaches(repository, last.head, head));
      found = !kept ? 'rewritten' : last.head === head && last.complete ? 'current' : 'extended';
      if (kept) {
        await checkFiles(folder, earlier);
        state = earlier;
      }
    }
    await clear(folder, state.segments.length);

    if (state.segments.at(-1) && !state.segments.at(-1)!.complete) await finishSegment(options, folder, state);
    const tip = state.segments.at(-1);
    if (tip?.head !== head) {
      const pass = await logPass(repository.gitDirectory, {
        folder,
        segment: state.segments.length,
        commits: tip?.commits ?? 0,
        bytes: tip?.bytes ?? 0,
        revisions: tip ? [head, `^${tip.head}`] : [head],
        filter,
        signal,
        onEvent,
      });
      state.segments.push({ head, ...pass, complete: false });
      await writeIndexState(folder, state);
      await finishSegment(options, folder, state);
    }
    return { folder, state, found, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function reaches(repository: Repository, earlier: string, head: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', '--end-of-options', earlier, head];
  return earlier === head || (await askGit(repository.gitDirectory, args)) !== undefined;
}

async function finishSegment(options: HistoryIndexOptions, folder: string, state: IndexState): Promise<void> {
  const { repository, filter, workers, signal, onEvent } = options;
  const segment = state.segments.length - 1;
  const tasks = Array.from({ length: taskCount }, (_, bucket) => ({
    gitDirectory: repository.gitDirectory,
    folder,
    segment,
    bucket,
    maxFileBytes: filter.maxFileBytes,
  }));
  let done = 0;
  const report = (): void =>
    onEvent?.({ type: 'progress', stage: 'functions', done: ++done, total: taskCount, unit: 'buckets' });
  if (workers > 1) await runInWorkers(tasks, workers, report, signal);
  else {
    const reader = new BlobReader(repository.gitDirectory, filter.maxFileBytes);
    try {
      for (const task of tasks) {
        throwIfAborted(signal);
        await runBucket(task, reader, signal);
        report();
      }
    } finally {
      await reader.close();
    }
  }
  Object.assign(state.segments[segment]!, { complete: true, functionBytes: await functionBytes(folder, segment) });
  await writeIndexState(folder, state);
}

/** Removes what a stopped run or another history left in the folder beyond the segments that stand: our own files, no others. */
async function clear(folder: string, segments: number): Promise<void> {
  for (const name of (await readdir(folder)).sort()) {
    const [, segment] =
      /^(?:(?:pairs|touches)-(\d+)-\d+|(?:moves|renames)-(\d+))\.jsonl(?:\..+\.partial)?$/
        .exec(name)
        ?.filter(Boolean) ?? [];
    const beyond = segment !== undefined && Number(segment) >= segments;
    const whole = segments === 0 && /^(?:commits\.jsonl|index\.json)$/.test(name);
    if (beyond || whole || (segment && name.endsWith('.partial'))) await rm(join(folder, name), { force: true });
  }
}
