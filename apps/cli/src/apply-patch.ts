import { execFile } from 'node:child_process';
import { access, constants, copyFile, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';

const run = promisify(execFile);

/**
 * Writes a patched file, with the permissions it had, behind a link where there is one. Where the last commit has the file
 * byte for byte, git is the backup; elsewhere the old file is kept beside it.
 *
 * @param before the file as the patch was made for it
 * @returns the path of the copy that was kept; `undefined` where git has it
 * @throws `RedefError` `file-changed`, `read-only`, `file-exists` where there is a copy of that name already
 */
export async function applyPatch(link: string, before: Buffer, after: Buffer): Promise<string | undefined> {
  const path = await realpath(link);
  if (!(await readFile(path)).equals(before)) {
    throw new RedefError(`${path} was changed in the meantime`, {
      code: 'file-changed',
      remedy: 'Run the command again.',
    });
  }
  const { mode } = await stat(path);
  if ((mode & 0o222) === 0 || !(await isWritable(path))) {
    throw new RedefError(`${path} is read-only`, {
      code: 'read-only',
      remedy: 'Allow writing to it, or apply the diff yourself.',
    });
  }
  const kept = (await isCommitted(path, before)) ? undefined : `${path}.orig`;
  if (kept !== undefined) await keepCopy(path, kept);
  await writeFileAtomic(path, after);
  return kept;
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function keepCopy(path: string, copy: string): Promise<void> {
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error, copy);
    throw new RedefError(`${copy} is there already and is not overwritten`, {
      code: 'file-exists',
      remedy: 'Move it away, or commit the file to git.',
    });
  }
}

/** Asked of the object alone: `git status` would run programs that the repository's configuration names. */
async function isCommitted(path: string, bytes: Buffer): Promise<boolean> {
  try {
    const { stdout } = await run('git', ['-C', dirname(path), 'cat-file', 'blob', `HEAD:./${basename(path)}`], {
      encoding: 'buffer',
      maxBuffer: bytes.length + 1024,
      env: { PATH: process.env.PATH, GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }, // nor fetch what a partial clone lacks
    });
    return stdout.equals(bytes);
  } catch {
    return false; // no repository, not committed, larger, or no git
  }
}
