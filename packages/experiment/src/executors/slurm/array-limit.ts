import { RedefError } from '@redef/core';
import { type Environment, runSlurm } from './program.js';

/** How many tasks this cluster lets one array have. */
export async function arrayLimit(env?: Environment): Promise<number> {
  const [, size] = /^MaxArraySize\s*=\s*(\d+)/m.exec(await runSlurm('scontrol', ['show', 'config'], env)) ?? [];
  if (Number(size) > 0) return Number(size);
  throw new RedefError('this cluster does not let its users submit job arrays (MaxArraySize)', {
    code: 'slurm-refused',
    remedy: 'Ask its administrators, or use the local executor inside a job.',
  });
}
