import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { RedefError } from '../errors.js';

/** What is about to be written. */
export interface Writes {
  /** None of them may be an input, or lie in a folder that is one. */
  files?: readonly string[];
  /** Filled by names that the caller need not know: none may be an input, or hold an input file as its own. */
  folders?: readonly string[];
}

/**
 * Refuses to write over what is read, whatever links or spellings its path goes by. Call it before anything is written.
 *
 * @param reads files and folders; those that are missing cannot be lost
 * @throws `RedefError` `would-overwrite`
 */
export async function refuseOverwriting(reads: readonly string[], { files = [], folders = [] }: Writes): Promise<void> {
  const inputs = new Map<string | undefined, string>();
  for (const path of reads) inputs.set(await identityOf(path), path);
  inputs.delete(undefined);
  for (const file of files) {
    for (let place = resolve(file); ; place = dirname(place)) {
      const input = inputs.get(await identityOf(place));
      if (input !== undefined) throw refused(file, input);
      if (place === dirname(place)) break;
    }
  }
  for (const folder of folders) {
    const identity = await identityOf(folder);
    if (identity === undefined) continue;
    for (const [own, input] of inputs) {
      const holds = (await identityOf(join(folder, basename(input)))) === own;
      if (own === identity || holds) throw refused(folder, input);
    }
  }
}

/** @returns `undefined` where nothing is */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function refused(path: string, input: string): RedefError {
  return new RedefError(`${path} would be written over ${input}, which is read`, {
    code: 'would-overwrite',
    remedy: 'Choose another file or folder for what is written.',
  });
}
