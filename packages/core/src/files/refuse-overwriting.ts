import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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
  const inputs = new Map<string, string>();
  const homes = new Map<string, string>(); // the folders that input files lie in, by their names and where links lead
  for (const path of reads) {
    const found = await find(path);
    if (!found) continue;
    inputs.set(found.identity, path);
    if (found.isFolder) continue;
    const real = await realpath(path).catch(() => path); // a pipe has no other name
    for (const name of [resolve(path), real]) {
      const home = await find(dirname(name));
      if (home) homes.set(home.identity, path);
    }
  }
  for (const file of files) {
    for (let place = resolve(file); ; place = dirname(place)) {
      const input = inputs.get((await find(place))?.identity ?? '');
      if (input !== undefined) throw refused(file, input);
      if (place === dirname(place)) break;
    }
  }
  for (const folder of folders) {
    const { identity = '' } = (await find(folder)) ?? {};
    const input = inputs.get(identity) ?? homes.get(identity);
    if (input !== undefined) throw refused(folder, input);
  }
}

/** @returns `undefined` where nothing is */
async function find(path: string): Promise<{ identity: string; isFolder: boolean } | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    return { identity: `${found.dev}:${found.ino}`, isFolder: found.isDirectory() };
  } catch {
    return undefined;
  }
}

function refused(path: string, input: string): RedefError {
  return new RedefError(`${path} is to be written where ${input} is read`, {
    code: 'would-overwrite',
    remedy: 'Choose another file or folder for what is written.',
  });
}
