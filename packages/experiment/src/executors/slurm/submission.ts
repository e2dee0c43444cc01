import { join } from 'node:path';
import { digestOf } from '@redef/core';
import { writeFileAtomic } from '@redef/core/files';
import { type Environment, runSlurm } from './program.js';
import { batchScript, type ScriptJob, type SlurmResources } from './script.js';
import { type SlurmJob, type SlurmState, writeState } from './state.js';

/** Hands jobs to Slurm and writes down which, before and after, so that none is lost when this process is killed. */
export interface Submission {
  /** Where scripts, logs and state are. */
  folder: string;
  state: SlurmState;
  resources: SlurmResources;
  env?: Environment;
}

type Commanded = Pick<ScriptJob, 'command'>;

/** @param after ids of the jobs that must have ended before, well or not */
export async function submitArray(
  submission: Submission,
  { command, cells, after }: Commanded & { cells: readonly string[]; after: readonly string[] },
): Promise<SlurmState['arrays'][number]> {
  const { state } = submission;
  const array = { ...nextJob(submission, cells), cells: [...cells] };
  state.arrays.push(array);
  await submit(submission, array, { command, cells }, after);
  return array;
}

/** In place of the report that waits for an earlier submission. */
export async function submitReport(
  submission: Submission,
  { command, after }: Commanded & { after: readonly string[] },
): Promise<void> {
  const { state, env } = submission;
  if (state.report?.job) await runSlurm('scancel', [state.report.job], env).catch(() => {}); // ended long ago
  state.report = nextJob(submission, command);
  await submit(submission, state.report, { command }, after);
}

/**
 * Its name holds what it runs: should the state be lost, another job of that name is the same job. A job that sbatch did
 * not answer for may be in the queue all the same, so it stays in the state, to be looked for.
 */
function nextJob({ folder, state }: Submission, content: readonly string[]): SlurmJob {
  return { name: `redef-${digestOf([folder, content]).slice(0, 12)}-${state.named++}`, job: null };
}

async function submit(
  { folder, state, resources, env }: Submission,
  job: SlurmJob,
  script: Omit<ScriptJob, 'name' | 'logs'>,
  after: readonly string[],
): Promise<void> {
  const { name } = job;
  const path = join(folder, `${name}.sh`);
  await writeFileAtomic(path, batchScript({ name, logs: join(folder, 'logs'), ...script }, resources));
  await writeState(folder, state);
  const dependency = after.length > 0 ? [`--dependency=afterany:${after.join(':')}`] : [];
  const [id] = (await runSlurm('sbatch', ['--parsable', ...dependency, path], env)).trim().split(';');
  job.job = id!; // the name of its cluster may follow
  await writeState(folder, state);
}
