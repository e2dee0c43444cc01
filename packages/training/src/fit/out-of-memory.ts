import { RedefError } from '@redef/core';
import type { BatchShape } from './task.js';

/**
 * Where memory ran out, in the runtime or for an array of ours: an error that names the batch and what to lower. Other
 * errors come back as they are.
 */
export function outOfMemory(error: unknown, where: string, { rows, lengths }: BatchShape): unknown {
  const isOurs = error instanceof RangeError && /array (buffer allocation|length)/i.test(error.message);
  if (!isOurs && !(RedefError.isInstance(error) && error.code === 'out-of-memory')) return error;
  const longest = Math.max(...lengths);
  return new RedefError(`Not enough memory for a batch of ${rows} x ${lengths.join(' x ')} tokens, ${where}`, {
    code: 'out-of-memory',
    remedy:
      rows > 1
        ? `Lower the batch size (${rows}), in training with the accumulation raised by the same factor, which gives the same steps; or encode with fewer tokens than ${longest}.`
        : `Encode with fewer tokens than ${longest}, or take a smaller model.`,
    cause: error,
  });
}
