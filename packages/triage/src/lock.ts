import { readFile, rm, writeFile } from 'node:fs/promises';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';

/**
 * Claims a file for this process by a neighbour that holds its id, and gives the release. A claim left by a process
 * that is gone is taken over.
 *
 * @throws `RedefError` `in-use` where another living process holds it
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const claim = `${path}.lock`;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(claim, String(process.pid), { flag: 'wx' });
      return () => rm(claim, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error, claim);
    }
    const holder = Number(await readFile(claim, 'utf8').catch(() => ''));
    if (holder > 0 && isAlive(holder)) throw inUse(path, `process ${holder} is using it`, claim);
    await rm(claim, { force: true });
  }
  throw inUse(path, 'it cannot be claimed', claim);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function inUse(path: string, why: string, claim: string): RedefError {
  return new RedefError(`${path}: ${why}`, {
    code: 'in-use',
    remedy: `Wait for the other run to end. If there is none, remove ${claim}.`,
  });
}
