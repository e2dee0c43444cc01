import { execFile } from 'node:child_process';
import { access, constants, copyFile, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';

const run = promisify(execFile);

/**
 * Writes a patched file. Where git has the file as it is, git is the backup; elsewhere the old file is kept beside it.
 *
 * @param before the file as the patch was made for it
 * @returns the path of the copy that was kept; `undefined` where git has it
 * @throws `RedefError` `file-changed`, `file-exists` where there is a copy of that name already
 */
export async function applyPatch(path: string, before: Buffer, after: Buffer): Promise<string | undefined> {
  if (!(await readFile(path)).equals(before)) {
    throw new RedefError(`${path} was changed in the meantime`, {
      code: 'file-changed',
      remedy: 'Run the command again.',
    });
  }
  const kept = (await isCommitted(path)) ? undefined : `${path}.orig`;
  if (kept !== undefined) await keepCopy(path, kept);
  await writeFileAtomic(path, after);
  return kept;
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

/** Whether git tracks the file and it is as committed. */
async function isCommitted(path: string): Promise<boolean> {
  const git = (...args: string[]) => run('git', ['-C', dirname(path), ...args, '--', basename(path)]);
  try {
    await access(path, constants.W_OK);
    await git('ls-files', '--error-unmatch');
    return (await git('status', '--porcelain')).stdout === '';
  } catch {
    return false; // no repository, not tracked, or no git
  }
}
