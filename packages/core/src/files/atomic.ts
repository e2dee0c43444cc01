import { randomInt, randomUUID } from 'node:crypto';
import {
  chmod,
  type FileHandle,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { RedefError } from '../errors.js';
import { fileError } from './file-error.js';
import { isRunning } from './is-running.js';
import { makeFolder } from './make-folder.js';

const host = hostname();
/** A file of another machine that nobody wrote to for so long is given up. */
const abandonedAfterMs = 24 * 60 * 60_000;
/** Counted from anywhere, since another thread of this process has a copy of this module. */
let writes = randomInt(2 ** 40);

/** No other writer has this name: not a second one of this process, nor one of another machine on the same disk. */
function temporaryFor(path: string): string {
  return `${path}.${host}.${process.pid}-${++writes}.partial`;
}

/**
 * Gives `use` a free name beside `path`, for a file or a folder, and removes what stands there at the end. What killed
 * processes left beside the same path goes first. Missing folders above are made.
 */
export async function withTemporary<Result>(
  path: string,
  use: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = temporaryFor(path);
  try {
    await makeFolder(dirname(path));
    await removePartialsOf(path);
    return await use(temporary);
  } catch (error) {
    // An error that names another path (a missing input, a program not found) is the caller's, not this file's.
    const named = (error as NodeJS.ErrnoException | undefined)?.path;
    const own = named === undefined || path.startsWith(named) || named.startsWith(temporary);
    throw own ? fileError(error, path) : error;
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Writes a file whole or not at all: `write` fills a temporary neighbour by its name, which is flushed and then renamed
 * over `path`. On any failure the neighbour is removed and an older file at `path` stays as it was. A link is followed,
 * and an older file's permissions are kept.
 *
 * @throws `RedefError` `not-a-file` where `path` is a folder, a device or a pipe, or of {@link fileError}
 */
export async function replaceFile<Result>(
  path: string,
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const older = await stat(path).catch(() => undefined); // before the links: those of /proc lead to what has no path
  if (older && !older.isFile()) {
    throw new RedefError(
      `${path}: ${older.isDirectory() ? 'a folder' : 'a device or a pipe'} where a file was expected`,
      {
        code: 'not-a-file',
        remedy: 'Name a file.',
      },
    );
  }
  const target = await linkTarget(path);
  return withTemporary(target, async (temporary) => {
    // no wider open than the older file while it is written, and open to its writer
    const made = await open(temporary, 'w', older && older.mode | 0o600);
    await made.close();
    const result = await write(temporary);
    const written = await open(temporary, 'r+');
    await written.sync().finally(() => written.close());
    if (older) await chmod(temporary, older.mode);
    await rename(temporary, target);
    return result;
  });
}

/** {@link replaceFile} for what is written through an open file. */
export async function writeAtomically<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  return replaceFile(path, async (temporary) => {
    const file = await open(temporary, 'r+');
    return write(file).finally(() => file.close());
  });
}

/** Where a chain of links ends, also where nothing is there yet. */
async function linkTarget(path: string): Promise<string> {
  const to = await readlink(path).catch(() => undefined);
  if (to === undefined) return path;
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError(error, path);
    return linkTarget(resolve(await realpath(dirname(path)), to));
  }
}

/** {@link writeAtomically} for a text or bytes at hand. */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await writeAtomically(path, (file) => file.writeFile(data));
}

/**
 * Removes from a folder and those below it what {@link replaceFile} left there in processes that were killed: of this
 * machine at once, of others once a day has passed by the clock of the file system.
 */
export async function removeStalePartials(folder: string): Promise<void> {
  await removeStale(folder, await namesIn(folder));
}

async function removePartialsOf(path: string): Promise<void> {
  const [folder, start] = [dirname(path), `${basename(path)}.`];
  const names = await readdir(folder).catch(() => []); // a folder may be open for writing alone
  await removeStale(
    folder,
    names.filter((name) => name.startsWith(start)),
  );
}

async function removeStale(folder: string, names: readonly string[]): Promise<void> {
  const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {}); // maybe not ours to remove
  let now: number | undefined;
  for (const name of names) {
    const [, before, pid, count] = /^(.*)\.(\d+)(-\d+)?\.partial$/s.exec(name) ?? [];
    if (before === undefined) continue;
    const path = join(folder, name);
    // a name without a count is that of a program which does not share its folders
    if (count === undefined || before.endsWith(`.${host}`)) {
      if (!isRunning(Number(pid))) await remove(path);
      continue;
    }
    now ??= await timeOf(folder);
    const changed = await stat(path).catch(() => undefined);
    if (changed && now - changed.mtimeMs > abandonedAfterMs) await remove(path);
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
