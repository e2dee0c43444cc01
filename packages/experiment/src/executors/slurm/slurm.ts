import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedefError } from '@redef/core';
import { makeFolder } from '@redef/core/files';
import type { Cell } from '../../cells/cell.js';
import { claim } from '../../cells/claim.js';
import { type CellEvent, type Executor, type ExecutorRun, inOrder } from '../../cells/executor.js';
import { finishedCell } from '../../cells/run-store.js';
import { forgetFailure, verdict } from '../verdict.js';
import { arrayLimit } from './array-limit.js';
import { type Environment, isRefusal, runSlurm } from './program.js';
import { isLive, isUndecided, type Queue, readAccounts, readQueue, taskKey } from './queue.js';
import { batchScript, type SlurmResources } from './script.js';
import { readState, type SlurmJob, type SlurmState, slurmFolder, writeState } from './state.js';
import { submitArray, submitReport } from './submission.js';

export interface SlurmOptions extends SlurmResources {
  /**
   * Program and first arguments of the command line as the nodes find it; `study cell FOLDER KEY` or `report FOLDER` is
   * appended.
   */
  redef: readonly string[];
  /** Tasks of one array. Default 1,000, never more than the cluster's `MaxArraySize`. */
  arraySize?: number;
  /** Do not watch: `submit` throws `detached` once all is in the queue. */
  detach?: boolean;
  /** How often `squeue` is asked. Default 10,000. */
  pollMs?: number;
  /** Environment of Slurm's programmes, which pass it on to the jobs. Default: that of this process. */
  env?: Environment;
}

/** A task that ended without a result is looked at this often before it is given up: see {@link isUndecided}. */
const settlingPolls = 6;
/** The controller may be away for this many polls in a row. */
const silentPolls = 30;

/**
 * Runs cells as tasks of Slurm job arrays, then the report as a job that depends on them. Jobs do not need this process:
 * when the signal fires, or it is killed, they go on, and the next `submit` for the same folder finds them again, submits
 * only what is neither done nor queued and watches all of it. A requeued task goes on from what was finished.
 *
 * The study's folder must be on a file system that the nodes share.
 *
 * `submit` throws `RedefError` `aborted` or `detached` where jobs go on, `slurm-missing`, `slurm-refused`, `invalid-option`
 * for values that a script cannot hold.
 */
export function createSlurmExecutor(options: SlurmOptions): Executor {
  checkOptions(options);
  return {
    id: 'slurm',
    async *submit(cells, run) {
      const { signal } = run;
      const folder = slurmFolder(run.folder);
      await makeFolder(logsOf(folder));
      const ordered = inOrder(cells);
      const finished = new Set<string>();
      for (const { key } of ordered) {
        if (!(await finishedCell(run.store, key))) continue;
        finished.add(key);
        yield { type: 'done', key, reused: true };
      }
      const open = ordered.filter(({ key }) => !finished.has(key));

      const release = await claim(join(folder, 'submitting'), signal ? { signal } : {});
      const state = await submitMissing(open, folder, run, options).finally(release);
      if (open.length === 0) return;
      if (options.detach) throw jobsGoOn('detached', state);
      yield* watch(open, state, folder, run, options);
    },
  };
}

/** What can be told before a study is prepared for hours. */
function checkOptions(options: SlurmOptions): void {
  const { redef, running, cpus, arraySize, pollMs } = options;
  for (const [name, value] of Object.entries({ running, cpus, arraySize, pollMs })) {
    if (value === undefined || (Number.isInteger(value) && value >= 1)) continue;
    throw new RedefError(`${name} must be an integer of at least 1, got ${value}`, {
      code: 'invalid-option',
      remedy: 'Leave it out for the default.',
    });
  }
  batchScript({ name: 'redef', logs: '', command: redef }, options);
}

const logsOf = (folder: string): string => join(folder, 'logs');

async function submitMissing(
  open: readonly Cell[],
  folder: string,
  { folder: study, store }: ExecutorRun,
  options: SlurmOptions,
): Promise<SlurmState> {
  const { redef, env } = options;
  const state = await readState(folder);
  const jobOf = liveTasks(state, await readQueue(state.arrays, env));
  await writeState(folder, state);
  const submission = { folder, state, resources: options, ...(env && { env }) };

  const missing = open.filter(({ key }) => !jobOf.has(key));
  if (missing.length === 0) return state;
  const size = Math.min(options.arraySize ?? 1000, await arrayLimit(env));
  for (const chunk of chunks(missing, size)) {
    for (const { key } of chunk) await forgetFailure(store, key);
    const { job, cells } = await submitArray(submission, {
      command: [...redef, 'study', 'cell', study],
      cells: chunk.map(({ key }) => key),
      after: [...new Set(chunk.flatMap(({ uses = '' }) => jobOf.get(uses) ?? []))],
    });
    for (const key of cells) jobOf.set(key, job!);
  }
  await submitReport(submission, { command: [...redef, 'report', study], after: [...new Set(jobOf.values())] });
  return state;
}

/** Drops arrays that have ended, fills in ids that were never written down, and gives the job of each live task's cell. */
function liveTasks(state: SlurmState, queue: Queue): Map<string, string> {
  const jobOf = new Map<string, string>();
  state.arrays = state.arrays.filter((array) => {
    const tasks = array.cells.map((key, index) => ({ key, task: queue.get(taskKey(array, index)) }));
    const live = tasks.filter(({ task }) => isLive(task));
    array.job ??= live[0]?.task?.job ?? null;
    for (const { key } of live) jobOf.set(key, array.job!);
    return live.length > 0;
  });
  return jobOf;
}

/** Parts of one kind each, as the models that cells use must be there before them. */
function chunks(cells: readonly Cell[], size: number): Cell[][] {
  const parts: Cell[][] = [];
  for (const kind of [cells.filter(({ uses }) => !uses), cells.filter(({ uses }) => uses)]) {
    for (let start = 0; start < kind.length; start += size) parts.push(kind.slice(start, start + size));
  }
  return parts;
}

/**
 * Tells of cells until each is done or given up. The report is then the caller's to write; the job that waits to write it
 * is for a study that nobody watches to its end.
 */
async function* watch(
  open: readonly Cell[],
  state: SlurmState,
  folder: string,
  { store, signal }: ExecutorRun,
  { env, pollMs = 10_000 }: SlurmOptions,
): AsyncGenerator<CellEvent, void, undefined> {
  const { arrays, report } = state;
  // A cell may have failed in one array and be in a later one, too.
  const places = new Map(arrays.flatMap((array) => array.cells.map((key, index) => [key, { array, index }])));
  const tasks = new Map(open.map(({ key }) => [key, { ...places.get(key)!, started: false, endedPolls: 0 }]));
  const jobs: SlurmJob[] = report ? [...arrays, report] : arrays;
  let silent = 0;
  for (;;) {
    let queue: Queue | undefined;
    try {
      queue = await readQueue(jobs, env);
      silent = 0;
    } catch (error) {
      if (!isRefusal(error) || ++silent > silentPolls) throw error;
    }
    for (const [key, task] of queue ? tasks : []) {
      const now = queue!.get(taskKey(task.array, task.index));
      if (now?.state === 'RUNNING' && !task.started) {
        task.started = true;
        yield { type: 'started', key };
      }
      if (!(await finishedCell(store, key))) {
        // A controller that crashed may take a task that has ended for running, or hold it: a result counts first.
        task.endedPolls = isLive(now) ? 0 : task.endedPolls + 1;
        if (isLive(now) || (isUndecided(now) && task.endedPolls < settlingPolls)) continue;
      }
      tasks.delete(key);
      const job = task.array.job!;
      const id = `${job}_${task.index}`;
      const ending = now?.state ?? (await readAccounts([job], env)).get(id) ?? 'something Slurm has forgotten';
      yield await verdict(store, key, `as ${ending}`, join(logsOf(folder), `${id}.log`));
    }
    if (queue && tasks.size === 0) {
      const last = report ? queue.get(taskKey(report)) : undefined;
      if (last?.state === 'PENDING') await runSlurm('scancel', [last.job], env);
      if (last?.state !== 'RUNNING' && last?.state !== 'COMPLETING') return;
    }
    await pause(pollMs, signal, state);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined, state: SlurmState): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (cause) {
    throw jobsGoOn('aborted', state, cause);
  }
}

function jobsGoOn(code: 'aborted' | 'detached', { arrays, report }: SlurmState, cause?: unknown): RedefError {
  const ids = [...arrays, ...(report ? [report] : [])].flatMap(({ job }) => job ?? []);
  return new RedefError(`the jobs ${ids.join(', ')} go on in Slurm without this process`, {
    code,
    remedy: `Run the same command again to watch them; scancel ${ids.join(' ')} ends them.`,
    cause,
  });
}
