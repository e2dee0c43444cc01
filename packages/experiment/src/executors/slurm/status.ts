import type { Environment } from './program.js';
import { readAccounts, readQueue, taskKey } from './queue.js';
import { readState, slurmFolder } from './state.js';

/** What Slurm says of a cell of a study. */
export interface SlurmCell {
  key: string;
  /** `12_3`: the task, as `scancel` and `scontrol` take it. */
  task: string;
  /** Slurm's own word: `PENDING`, `RUNNING`, `TIMEOUT`; `FORGOTTEN` where neither its queue nor its accounts have it. */
  state: string;
  /** Why it waits or failed, in Slurm's words; empty where there is nothing to say. */
  reason: string;
}

/**
 * The cells that a study last had in Slurm, whoever submitted them: by `squeue`, and by `sacct` where the queue has
 * forgotten them. Empty where none was submitted; Slurm is not asked then.
 *
 * @throws `RedefError` `slurm-missing`, `slurm-refused`
 */
export async function readSlurmCells(study: string, env?: Environment): Promise<SlurmCell[]> {
  const { arrays } = await readState(slurmFolder(study));
  if (arrays.length === 0) return [];
  const queue = await readQueue(arrays, env);
  const cells = arrays.flatMap((array) =>
    array.cells.map((key, index) => {
      const found = queue.get(taskKey(array, index));
      return { key, task: `${found?.job ?? array.job}_${index}`, found };
    }),
  );
  const forgotten = cells.some(({ found }) => !found);
  const accounts = forgotten
    ? await readAccounts(
        arrays.flatMap(({ job }) => job ?? []),
        env,
      )
    : new Map<string, string>();
  return cells.map(({ key, task, found }) => ({
    key,
    task,
    state: found?.state ?? accounts.get(task) ?? 'FORGOTTEN',
    reason: !found || found.reason === 'None' ? '' : found.reason,
  }));
}
