import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';

const jobSchema = v.object({
  /** Unlike any other job's: a job is found by it whose id was never written down. */
  name: v.string(),
  /** `null` until sbatch has answered. */
  job: v.nullable(v.string()),
});

const stateSchema = v.object({
  schema: v.literal('redef.slurm/1'),
  /** How many jobs were named so far. */
  named: v.number(),
  /** Each an array of tasks, the keys of their cells in order. */
  arrays: v.array(v.object({ ...jobSchema.entries, cells: v.array(v.string()) })),
  report: v.nullable(jobSchema),
});

/** What was submitted, for those who come after the submitting process. */
export type SlurmState = v.InferOutput<typeof stateSchema>;
export type SlurmJob = v.InferOutput<typeof jobSchema>;

/** What the executor keeps in a study's folder: scripts, logs and `slurm.json`, which names its jobs. */
export function slurmFolder(study: string): string {
  return join(study, 'cache', 'slurm');
}

const fileOf = (folder: string): string => join(folder, 'slurm.json');

export async function writeState(folder: string, state: SlurmState): Promise<void> {
  await writeFileAtomic(fileOf(folder), `${JSON.stringify(state, null, 2)}\n`);
}

/** @throws `RedefError` `invalid-state` */
export async function readState(folder: string): Promise<SlurmState> {
  const path = fileOf(folder);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { schema: 'redef.slurm/1', named: 0, arrays: [], report: null };
    }
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), stateSchema), text);
  if (parsed.success) return parsed.output;
  throw new RedefError(`${path}: ${v.getDotPath(parsed.issues[0]) ?? 'file'}: ${parsed.issues[0].message}`, {
    code: 'invalid-state',
    remedy: 'End the jobs of this study (squeue --me, scancel), remove the file and run again.',
  });
}
