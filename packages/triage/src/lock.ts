import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';

/** What this process holds: a claim with its id that is not here was left by an earlier process that had the same id. */
const held = new Set<string>();
let count = 0;

/**
 * Claims a file for this process by a neighbour that holds its id, and gives the release. A claim left by a process
 * that is gone is taken over.
 *
 * @throws `RedefError` `in-use` where another living process holds it
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const claim = `${path}.lock`;
  const own = `${claim}.${process.pid}.${++count}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await put(claim, own)) {
      held.add(claim);
      return async () => {
        await rm(claim, { force: true });
        held.delete(claim);
      };
    }
    const holder = await holderOf(claim);
    if (isAlive(holder, claim)) throw inUse(path, `process ${holder} is using it`, claim);
    await takeAway(claim, own, holder);
  }
  throw inUse(path, 'it cannot be claimed', claim);
}

/** The claim appears with its content, so that nobody finds one that names nobody yet. */
async function put(claim: string, own: string): Promise<boolean> {
  try {
    await writeFile(own, String(process.pid));
    await link(own, claim);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(error, claim);
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes the claim of a process that is gone, and gives it back where another was quicker to claim anew. */
async function takeAway(claim: string, own: string, holder: number): Promise<void> {
  try {
    await rename(claim, own);
  } catch {
    return; // somebody else removed it
  }
  if ((await holderOf(own)) !== holder) await link(own, claim).catch(() => {});
  await rm(own, { force: true });
}

async function holderOf(claim: string): Promise<number> {
  return Number(await readFile(claim, 'utf8').catch(() => ''));
}

function isAlive(pid: number, claim: string): boolean {
  if (!(pid > 0)) return false;
  if (pid === process.pid) return held.has(claim); // a container gives every run the same id
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
