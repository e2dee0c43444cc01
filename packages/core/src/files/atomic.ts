import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
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
