import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { RedefError, throwIfAborted } from '@redef/core';
import { fileError } from '@redef/core/files';

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
        yield { value: parseRow<Row>(bytes.toString('utf8', start, end), path), bytes: end + 1 - start };
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Rows by their place in a file. They are read at once: what was written a moment ago is in the system's memory. */
export class RowFile {
  readonly #file: number;
  #bytes = Buffer.alloc(4096);

  constructor(private readonly path: string) {
    try {
      this.#file = openSync(path, 'r');
    } catch (error) {
      throw fileError(error, path);
    }
  }

  read<Row>(offset: number, length: number): Row {
    if (length > this.#bytes.length) this.#bytes = Buffer.alloc(length * 2);
    let size: number;
    try {
      size = readSync(this.#file, this.#bytes, 0, length, offset);
    } catch (error) {
      throw fileError(error, this.path);
    }
    return parseRow<Row>(this.#bytes.toString('utf8', 0, size), this.path);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function parseRow<Row>(text: string, path: string): Row {
  try {
    return JSON.parse(text) as Row;
  } catch (cause) {
    throw new RedefError(`${path}: damaged: a row of it cannot be read`, {
      code: 'invalid-index',
      remedy: 'Remove the index folder to have it built again.',
      cause,
    });
  }
}
