import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RedefError } from '../errors.js';
import { fileError } from './file-error.js';
import { isRunning, processFields } from './is-running.js';

/** Who claims a path. `started` tells a process from a later one of the same number, where the system says it. */
interface Claimant {
  host: string;
  pid: number;
  started: string;
}

const claimMark = '.lock-';
const uuid = /^[0-9a-f-]{36}$/;
/** A claim is written again this often, so that its time of change shows a live process to another machine. */
const renewEveryMs = 60_000;
/** A claim of another machine that has not been written for so long is given up. */
const abandonedAfterMs = 15 * 60_000;
/** How long a claimant waits for others that came at the same moment to see that it goes before them. */
const settleMs = 1000;

/**
 * Takes a path, of a file or of anything else, for this process alone until the returned function is called. Each
 * claimant writes a neighbour of its own name (`<path>.lock-<uuid>`) and only then looks for others: of those who come at
 * once the first by name goes on, once the others have withdrawn. So two never go on together, on any file system. The
 * claim of a process that is gone is removed by whoever finds it.
 *
 * @throws `RedefError` `in-use` where another living process holds the path, or of {@link fileError}
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const [folder, base] = [dirname(path), `${basename(path)}${claimMark}`];
  const name = `${base}${randomUUID()}`;
  const claim = join(folder, name);
  const own: Claimant = { host: hostname(), pid: process.pid, started: startOf(process.pid) ?? '' };
  const unfinished = `${claim}.${process.pid}.partial`;
  try {
    // it appears whole; a claim need not outlive a power cut, so it is not flushed to the disk
    await writeFile(unfinished, JSON.stringify(own));
    await rename(unfinished, claim);
    for (let waited = 0; ; waited += 20) {
      const rivals = await livingRivals(folder, base, name);
      if (rivals.length === 0) break;
      const first = rivals.find((rival) => rival.name < name);
      if (first || waited >= settleMs) throw inUse(path, first ?? rivals[0]!);
      await setTimeout(20);
    }
  } catch (error) {
    for (const left of [unfinished, claim]) await rm(left, { force: true }).catch(() => {});
    throw fileError(error, claim);
  }
  const renewal = setInterval(() => {
    writeFile(claim, JSON.stringify(own), { flag: 'r+' }).catch(() => {}); // the same bytes: no reader sees half of them
  }, renewEveryMs);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    await rm(claim, { force: true });
  };
}

type Rival = Claimant & { name: string };

async function livingRivals(folder: string, base: string, own: string): Promise<Rival[]> {
  const { mtimeMs: now } = await stat(join(folder, own)); // by the clock of the file system, as the others'
  const rivals: Rival[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (name === own || !name.startsWith(base) || !uuid.test(name.slice(base.length))) continue;
    const claimant = await claimantOf(join(folder, name), now);
    if (claimant) rivals.push({ ...claimant, name });
    else await rm(join(folder, name), { force: true });
  }
  return rivals;
}

/** The process that wrote a claim, if it may still be at work. */
async function claimantOf(path: string, now: number): Promise<Claimant | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined; // given back meanwhile
  let claimant: Claimant | null = null;
  try {
    claimant = JSON.parse(await readFile(path, 'utf8')) as Claimant | null;
  } catch {
    // told below
  }
  if (!claimant?.pid) return undefined; // claims appear whole: one that is not was cut off with its machine
  if (claimant.host !== hostname()) return now - found.mtimeMs < abandonedAfterMs ? claimant : undefined;
  if (!isRunning(claimant.pid)) return undefined;
  const started = startOf(claimant.pid);
  return started === undefined || started === claimant.started ? claimant : undefined;
}

/**
 * What tells a process from an earlier one of its number, as in a container that gives every run the same: ticks since the
 * system began where `/proc` says them, the 22nd field, else of this process alone the time at which it began.
 */
function startOf(pid: number): string | undefined {
  return processFields(pid)?.[19] ?? (pid === process.pid ? String(performance.timeOrigin) : undefined);
}

function inUse(path: string, { host, pid, name }: Rival): RedefError {
  return new RedefError(`${path}: in use by process ${pid} of ${host}`, {
    code: 'in-use',
    remedy: `Wait for the other run to end. If there is none, remove ${join(dirname(path), name)}.`,
  });
}
