import { type Environment, isRefusal, runSlurm } from './program.js';
import type { SlurmJob } from './state.js';

/** What Slurm knows of one task of an array, or of a job of one task. */
export interface Task {
  /** Id of the array. */
  job: string;
  /** Slurm's own word: `PENDING`, `RUNNING`, `TIMEOUT`. */
  state: string;
  /** Why it waits or failed, in Slurm's words; `None` where there is nothing to say. */
  reason: string;
}

/** Tasks by {@link taskKey}. */
export type Queue = ReadonlyMap<string, Task>;

export function taskKey({ name }: Pick<SlurmJob, 'name'>, index = 0): string {
  return `${name}[${index}]`;
}

/** Asks `squeue` for jobs by name, so that one is found whose id is not known. It forgets a task minutes after its end. */
export async function readQueue(jobs: readonly SlurmJob[], env?: Environment): Promise<Queue> {
  const queue = new Map<string, Task>();
  if (jobs.length === 0) return queue;
  const names = jobs.map(({ name }) => name).join(',');
  const format = '--format=%j|%F|%K|%T|%r';
  const output = await runSlurm(
    'squeue',
    ['--me', '--noheader', '--array', '--states=all', `--name=${names}`, format],
    env,
  );
  for (const line of output.split('\n')) {
    const [name, job, index, state, reason = ''] = line.split('|');
    if (name === undefined || job === undefined || state === undefined) continue;
    queue.set(taskKey({ name }, Number(index) || 0), { job, state, reason });
  }
  return queue;
}

/** How the tasks of jobs ended that `squeue` has forgotten, by `JOB_INDEX`; empty on a cluster that keeps no accounts. */
export async function readAccounts(jobs: readonly string[], env?: Environment): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  try {
    const args = ['--noheader', '--parsable2', '--allocations', '--format=JobID,State'];
    for (const line of (await runSlurm('sacct', [...args, `--jobs=${jobs.join(',')}`], env)).split('\n')) {
      const [, task, state] = /^(\d+_\d+)\|([A-Z_]+)/.exec(line) ?? []; // `CANCELLED by 1000`
      if (task !== undefined && state !== undefined) states.set(task, state);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return states;
}

/** Whether a task may still give a result. */
export function isLive(task: Task | undefined): boolean {
  return task !== undefined && !ended.has(task.state);
}

/** Slurm may requeue a task in one of these, or its result may be on its way through the network's file system. */
export function isUndecided(task: Task | undefined): boolean {
  return task === undefined || undecided.has(task.state);
}

const undecided = new Set(['COMPLETED', 'NODE_FAIL', 'PREEMPTED', 'BOOT_FAIL', 'REVOKED']);
const ended = new Set([...undecided, 'CANCELLED', 'DEADLINE', 'FAILED', 'OUT_OF_MEMORY', 'TIMEOUT']);
