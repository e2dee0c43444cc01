import { execFile } from 'node:child_process';
import { RedefError } from '@redef/core';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs a programme of Slurm, without a shell, and gives its standard output.
 *
 * @throws `RedefError` `slurm-missing` where there is no such programme, `slurm-refused` where it says no
 */
export function runSlurm(program: string, args: readonly string[], env?: Environment): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 2 ** 30, ...(env && { env }) }, (cause, stdout, stderr) => {
      if (!cause) return resolve(stdout);
      if (cause.code === 'ENOENT') {
        return reject(
          new RedefError(`${program}: no such program: this is no machine of a Slurm cluster`, {
            code: 'slurm-missing',
            remedy: 'Run this on a login node of the cluster, or use the local executor.',
            cause,
          }),
        );
      }
      reject(
        new RedefError(`${program}: ${stderr.trim() || cause.message}`, {
          code: 'slurm-refused',
          remedy: 'Correct what it names (partition, account, limits) and run again: jobs submitted before go on.',
          cause,
        }),
      );
    });
  });
}

/** Slurm answered that it cannot, or that its controller is away. */
export function isRefusal(error: unknown): boolean {
  return RedefError.isInstance(error) && error.code === 'slurm-refused';
}
