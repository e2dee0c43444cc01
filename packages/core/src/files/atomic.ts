import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileError } from './file-error.js';
import { makeFolder } from './make-folder.js';

/**
 * Writes a file whole or not at all: `write` fills a temporary neighbour, which is flushed and then renamed over `path`.
 * On any failure the neighbour is removed and an older file at `path` stays as it was. Missing folders are made.
 */
export async function writeAtomically<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${process.pid}.partial`;
  try {
    await makeFolder(dirname(path));
    const file = await open(temporary, 'w');
    let result: Result;
    try {
      result = await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    return result;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    // An error that names another path (a missing input, a program not found) is the caller's, not this file's.
    const named = (error as NodeJS.ErrnoException | undefined)?.path;
    throw named === undefined || path.startsWith(named) || named === temporary ? fileError(error, path) : error;
  }
}

/** {@link writeAtomically} for a text or bytes at hand. */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await writeAtomically(path, (file) => file.writeFile(data));
}

/** Removes from a folder and those below it what {@link writeAtomically} left there in processes that were killed. */
export async function removeStalePartials(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(() => []); // no folder, nothing left in it
  for (const name of names) {
    const [, pid] = /\.(\d+)\.partial$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's
  }
}
