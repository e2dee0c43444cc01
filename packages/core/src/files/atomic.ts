import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileError } from './file-error.js';
import { makeFolder } from './make-folder.js';

const host = hostname();
/** A file of another machine that nobody wrote to for so long is given up. */
const abandonedAfterMs = 24 * 60 * 60_000;
let writes = 0;

/** No other writer has this name: not a second one of this process, nor one of another machine on the same disk. */
function temporaryFor(path: string): string {
  return `${path}.${host}.${process.pid}-${++writes}.partial`;
}

/**
 * Writes a file whole or not at all: `write` fills a temporary neighbour, which is flushed and then renamed over `path`.
 * On any failure the neighbour is removed and an older file at `path` stays as it was. Missing folders are made.
 */
export async function writeAtomically<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const temporary = temporaryFor(path);
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

/**
 * Removes from a folder and those below it what {@link writeAtomically} left there in processes that were killed: of this
 * machine at once, of others once a day has passed by the clock of the file system.
 */
export async function removeStalePartials(folder: string): Promise<void> {
  let now: number | undefined;
  for (const name of await namesIn(folder)) {
    const [, before, pid, count] = /^(.*)\.(\d+)(-\d+)?\.partial$/s.exec(name) ?? [];
    if (before === undefined) continue;
    const path = join(folder, name);
    // a name without a count is that of a program which does not share its folders
    if (count === undefined || before.endsWith(`.${host}`)) {
      if (!isAlive(Number(pid))) await rm(path, { force: true });
      continue;
    }
    now ??= await timeOf(folder);
    const changed = await stat(path).catch(() => undefined);
    if (changed && now - changed.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
}

/**
 * Removes partial files and locks from a folder and those below it, whoever left them: for one who alone may work there,
 * so that all others are dead.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (/\.partial$|\.lock-[0-9a-f-]{36}$/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Of the folder and those below; none where there is no such folder. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}

/** A machine's own clock may be wrong by more than it matters here, that of the disk is one for all. */
async function timeOf(folder: string): Promise<number> {
  const path = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(path, '');
    return (await stat(path)).mtimeMs;
  } finally {
    await rm(path, { force: true });
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
