import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';

/** Who holds a folder. `started` tells a process from a later one of the same number, where the system says it. */
interface Holder {
  host: string;
  pid: number;
  started: string;
}

const lockName = /^lock-[0-9a-f-]{36}\.json$/;
/** A lock is written again this often, so that its time of change shows a live process to another machine. */
const renewEvery = 60_000;
/** A lock of another machine that has not been written for so long is given up. */
const abandonedAfter = 15 * 60_000;

/**
 * Takes a folder for this run alone until the returned function is called. Each run announces itself in a file of its own
 * name and only then looks for others, so two that come at once cannot both go on; the file of a process that is gone is
 * removed by whoever finds it.
 *
 * @throws `RedefError` `index-in-use`, or a file error
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const name = `lock-${randomUUID()}.json`;
  const path = join(folder, name);
  const holder: Holder = { host: hostname(), pid: process.pid, started: (await startOf(process.pid)) ?? '' };
  const announce = (flag: 'wx' | 'r+'): Promise<void> => writeFile(path, JSON.stringify(holder), { flag });
  try {
    await announce('wx');
    const { mtimeMs: now } = await stat(path); // by the clock of the file system, as the others'
    for (const other of (await readdir(folder)).sort()) {
      if (other === name || !lockName.test(other)) continue;
      const alive = await holderOf(join(folder, other), now);
      if (alive) throw inUse(folder, alive, other);
      await rm(join(folder, other), { force: true });
    }
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw fileError(error, path);
  }
  const renewal = setInterval(() => void announce('r+').catch(() => {}), renewEvery);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    await rm(path, { force: true });
  };
}

/** The process that wrote a lock, if it may still be at work. */
async function holderOf(path: string, now: number): Promise<Partial<Holder> | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined; // given back meanwhile
  const recent = now - found.mtimeMs < abandonedAfter;
  let holder: Partial<Holder> = {};
  try {
    holder = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>;
  } catch {
    return recent ? holder : undefined; // half written, or cut off by a full disk
  }
  if (holder.host !== hostname() || !Number.isInteger(holder.pid)) return recent ? holder : undefined;
  if (!isRunning(holder.pid!)) return undefined;
  const started = await startOf(holder.pid!);
  return started === undefined || !holder.started || started === holder.started ? holder : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, in ticks since the system did; `undefined` where the system does not say. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // the name, in parentheses, may hold anything; the start is the 22nd field of all, the 20th after it
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

function inUse(folder: string, { host, pid }: Partial<Holder>, name: string): RedefError {
  const who = pid === undefined ? 'another run' : `process ${pid} of ${host}`;
  return new RedefError(`${folder}: in use by ${who}`, {
    code: 'index-in-use',
    remedy: `Wait for that run to end or name another folder. If nothing runs, remove ${name} from it.`,
  });
}
