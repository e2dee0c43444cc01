import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunOptions, throwIfAborted } from '@redef/core';
import { fileError, isRunning, makeFolder } from '@redef/core/files';
import * as v from 'valibot';

export interface ClaimOptions extends Pick<RunOptions, 'signal'> {
  /** How often a waiting process looks again. Default 500. */
  pollMs?: number;
  /** A claim of another machine that did not move for this long is that of a dead process. Default 60,000. */
  staleMs?: number;
  /** How often the holder moves its claim. Default 10,000. */
  beatMs?: number;
}

const holderSchema = v.object({ host: v.string(), pid: v.number(), turn: v.number(), beat: v.number() });
type Holder = v.InferOutput<typeof holderSchema>;

/** What this process holds: a claim with its pid that is not here was left by an earlier process of that pid. */
const held = new Set<string>();
let turns = 0;

/**
 * The exclusive right to a piece of work, among processes that see one file system. Waits while another living process
 * holds it and takes over from a dead one: on this machine its pid is gone; on another its claim no longer moves. No
 * clock is compared with another machine's.
 *
 * @returns the release
 */
export async function claim(path: string, options: ClaimOptions = {}): Promise<() => Promise<void>> {
  const { signal, pollMs = 500, staleMs = 60_000, beatMs = 10_000 } = options;
  await makeFolder(dirname(path));
  const own: Holder = { host: hostname(), pid: process.pid, turn: ++turns, beat: 0 };
  let seen = '';
  let unmovedMs = 0;
  while (!(await put(path, own))) {
    throwIfAborted(signal);
    const found = await readText(path);
    if (found === undefined) continue; // released in between
    unmovedMs = found === seen ? unmovedMs + pollMs : 0;
    seen = found;
    if (unmovedMs >= staleMs * patience[holderState(found, path)]) await takeAway(path, found, options);
    else await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => throwIfAborted(signal));
  }
  held.add(path);
  const beating = setInterval(() => beat(path, own), beatMs);
  beating.unref();
  return async () => {
    clearInterval(beating);
    if (isOurs(await readText(path), own)) await rm(path, { force: true });
    held.delete(path);
  };
}

/** The claim appears with its content, so that nobody finds one that names nobody yet. */
async function put(path: string, own: Holder): Promise<boolean> {
  const draft = draftOf(path, own);
  try {
    await writeFile(draft, JSON.stringify(own));
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(error, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function beat(path: string, own: Holder): Promise<void> {
  if (!isOurs(await readText(path), own)) return;
  own.beat++;
  await writeFile(path, JSON.stringify(own)).catch(() => {}); // a full disk does not end the work
}

/**
 * Removes a dead process's claim, one process at a time: who removes without that may take the claim of one that was
 * quicker to remove and to claim anew.
 */
async function takeAway(path: string, found: string, options: ClaimOptions): Promise<void> {
  const release = await claim(`${path}.removal`, options);
  try {
    if ((await readText(path)) === found) await rm(path, { force: true });
  } finally {
    await release();
  }
}

/** Whether a claim is that of a process on this machine that is gone. */
export async function isAbandoned(path: string): Promise<boolean> {
  const text = await readText(path);
  return text !== undefined && holderState(text, path) === 'dead';
}

/** How many times `staleMs` a claim may stand still. A living pid may by now be another process's; a long pause is none. */
const patience = { dead: 0, remote: 1, living: 10, ours: Number.POSITIVE_INFINITY };

function holderState(text: string, path: string): keyof typeof patience {
  const holder = parse(text);
  if (!holder || holder.host !== hostname()) return 'remote';
  if (holder.pid === process.pid) return held.has(path) ? 'ours' : 'dead';
  return isRunning(holder.pid) ? 'living' : 'dead';
}

function isOurs(text: string | undefined, { host, pid, turn }: Holder): boolean {
  const holder = text === undefined ? undefined : parse(text);
  return holder?.host === host && holder.pid === pid && holder.turn === turn;
}

function parse(text: string): Holder | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), holderSchema), text);
  return parsed.success ? parsed.output : undefined;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

const draftOf = (path: string, { host, pid, turn }: Holder): string => `${path}.${host}.${pid}.${turn}`;
