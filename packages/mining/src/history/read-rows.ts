import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { throwIfAborted } from '@redef/core';
import { fileError } from '@redef/core/files';
import type { CommitRow } from './rows.js';

/** Reads the first `limit` bytes of a file of rows, each with its length in bytes, newline included. */
export async function* readRows<Row>(
  path: string,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<{ value: Row; bytes: number }, void, undefined> {
  if (limit === 0) return;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { end: limit - 1, highWaterMark: 1 << 18 })) {
      throwIfAborted(signal);
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        yield { value: JSON.parse(bytes.toString('utf8', start, end)) as Row, bytes: end + 1 - start };
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Commits by their place in `commits.jsonl`. */
export class CommitRows {
  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
  ) {}

  static async open(path: string): Promise<CommitRows> {
    try {
      return new CommitRows(await open(path, 'r'), path);
    } catch (error) {
      throw fileError(error, path);
    }
  }

  async read(offset: number, length: number): Promise<CommitRow> {
    const bytes = Buffer.alloc(length);
    try {
      await this.file.read(bytes, 0, length, offset);
    } catch (error) {
      throw fileError(error, this.path);
    }
    return JSON.parse(bytes.toString('utf8')) as CommitRow;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
