import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseRecord, RedefError, type Vote } from '@redef/core';
import { fileError, lock, makeFolder } from '@redef/core/files';
import type { VoteCache } from './cache.js';

/** A {@link VoteCache} in a file. Close it so that another process may open it. */
export interface VoteFile extends VoteCache {
  /** Votes held. */
  readonly size: number;
  close(): Promise<void>;
}

/** How long a written vote may wait to be flushed to the disk: what a power cut can lose. */
const flushMs = 1000;

const prefix = '{"key":"';
const keyLength = 64;
const voteStart = prefix.length + keyLength + '","vote":'.length;

/**
 * Opens or makes a vote cache: a file of lines `{"key":...,"vote":...}` that only ever grows. A process killed while
 * it wrote leaves at most one unfinished line, which nobody was told of and which is cut away here. Votes stay on disk;
 * in memory is a key and a position each.
 *
 * A stored vote survives the death of the process at once, and a power cut after a second: the file is flushed to the
 * disk that long after a write, and when it is closed.
 *
 * @throws `RedefError` `in-use` by another living process, `cache-damaged` with the line, or `not-a-cache` for another file
 */
export async function openVoteFile(path: string): Promise<VoteFile> {
  await makeFolder(dirname(path)).catch((error) => {
    throw fileError(error, path);
  });
  const unlock = await lock(path);
  try {
    const file = await open(path, 'a+');
    const { positions, end } = await indexLines(file, path);
    await file.truncate(end);
    return new AppendedVotes(path, file, positions, end, unlock);
  } catch (error) {
    await unlock();
    throw fileError(error, path);
  }
}

interface Position {
  start: number;
  length: number;
}

interface Entry {
  key: string;
  line: Buffer;
}

class AppendedVotes implements VoteFile {
  /** Entries handed in and not on disk yet, by key. */
  readonly #pending = new Map<string, Promise<void>>();
  /** What the next write takes: whatever comes in during the one before. */
  #next: { entries: Entry[]; written: Promise<void> } | undefined;
  /** The last write asked for; it never rejects. */
  #writing: Promise<void> = Promise.resolve();
  #flush: NodeJS.Timeout | undefined;
  /** The last flush; it never rejects. */
  #flushing: Promise<void> = Promise.resolve();
  /** Why the disk did not take what was written: no further vote is taken then. */
  #lost: RedefError | undefined;

  constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly positions: Map<string, Position>,
    private end: number,
    private readonly unlock: () => Promise<void>,
  ) {}

  get size(): number {
    return this.positions.size;
  }

  get(key: string): Vote | undefined {
    const position = this.positions.get(key);
    if (!position) return undefined;
    const bytes = Buffer.allocUnsafe(position.length);
    readSync(this.file.fd, bytes, 0, position.length, position.start);
    const text = bytes.toString();
    try {
      return parseRecord(
        'redef.vote/1',
        JSON.parse(text.slice(voteStart, -1)),
        `${this.path} at byte ${position.start}`,
      );
    } catch (cause) {
      throw damaged(`${this.path}: the entry at byte ${position.start} is not a vote`, cause);
    }
  }

  async set(key: string, vote: Vote): Promise<void> {
    if (this.positions.has(key)) return;
    let stored = this.#pending.get(key);
    if (!stored) {
      stored = this.#append({ key, line: Buffer.from(`${prefix}${key}","vote":${JSON.stringify(vote)}}\n`) });
      this.#pending.set(key, stored);
    }
    await stored;
  }

  #append(entry: Entry): Promise<void> {
    if (!this.#next) {
      const entries: Entry[] = [];
      const written = this.#writing.then(() => {
        this.#next = undefined;
        return this.#write(entries);
      });
      this.#next = { entries, written };
      this.#writing = written.catch(() => {});
    }
    this.#next.entries.push(entry);
    return this.#next.written;
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    if (this.#lost) throw this.#lost;
    try {
      await this.file.appendFile(Buffer.concat(entries.map(({ line }) => line)));
    } catch (error) {
      await this.file.truncate(this.end).catch(() => {}); // a full disk takes half a line
      throw fileError(error, this.path);
    }
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      this.#flushing = this.file.datasync().catch((cause: unknown) => {
        this.#lost = unflushed(this.path, cause);
      });
    }, flushMs);
    for (const { key, line } of entries) {
      this.positions.set(key, { start: this.end, length: line.length - 1 });
      this.end += line.length;
      this.#pending.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#flush);
    await this.#flushing;
    try {
      await this.file.sync();
    } catch (cause) {
      throw unflushed(this.path, cause);
    } finally {
      await this.file.close();
      await this.unlock();
    }
  }
}

/** Finds every whole line without parsing it: the key stands at a fixed place. */
async function indexLines(file: FileHandle, path: string): Promise<{ positions: Map<string, Position>; end: number }> {
  const positions = new Map<string, Position>();
  let end = 0;
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 })) {
    const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    let start = 0;
    for (let stop = bytes.indexOf(0x0a); stop >= 0; stop = bytes.indexOf(0x0a, start)) {
      number++;
      const head = bytes.toString('latin1', start, start + voteStart);
      const key = /^\{"key":"([0-9a-f]{64})","vote":$/.exec(head)?.[1];
      if (!key || bytes[stop - 1] !== 0x7d)
        throw damaged(`${path}:${number}: the line is not an entry of a vote cache`);
      // the first of two is the one that was counted
      if (!positions.has(key)) positions.set(key, { start: end, length: stop - start });
      end += stop - start + 1;
      start = stop + 1;
    }
    rest = bytes.subarray(start);
  }
  // what is cut away must be the first entry begun, not a file of another kind that has no line's end
  if (end === 0 && !prefix.startsWith(rest.toString('latin1', 0, prefix.length))) {
    throw new RedefError(`${path}: not a vote cache`, {
      code: 'not-a-cache',
      remedy: 'Name another file for the votes: this one is left as it is.',
    });
  }
  return { positions, end };
}

function unflushed(path: string, cause: unknown): RedefError {
  return new RedefError(`${path}: the disk did not take what was written`, {
    code: 'disk-failed',
    remedy: 'Check the disk and its space, then run the same command again: it goes on from the votes that are there.',
    cause,
  });
}

function damaged(message: string, cause?: unknown): RedefError {
  return new RedefError(message, {
    code: 'cache-damaged',
    remedy: 'Remove that line and run again: the vote it held is cast anew.',
    cause,
  });
}
