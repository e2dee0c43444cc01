import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { RedefError, throwIfAborted } from '@redef/core';
import { fileError } from '@redef/core/files';

const chunkBytes = 1 << 18;

/** The bytes of a file in chunks. Calls `onBytes` with each chunk's length as it is read from disk. */
export async function* fileBytes(
  path: string,
  onBytes: (count: number) => void,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      throwIfAborted(signal);
      onBytes((chunk as Uint8Array).length);
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw fileError(error, path);
  }
}

export interface Peeked {
  head: Uint8Array;
  /** The whole stream, the head put back. */
  bytes: AsyncIterable<Uint8Array>;
  /** Closes the source, also where `bytes` was never read. */
  close(): Promise<void>;
}

/** Looks at the first bytes of a stream: at least `wanted`, unless it is shorter. */
export async function peek(source: AsyncIterable<Uint8Array>, wanted: number): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < wanted) {
    const { done, value } = await iterator.next();
    if (done) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array, void, undefined> {
    if (head.length > 0) yield head;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return {
    head,
    bytes: all(),
    close: async () => {
      await iterator.return?.();
    },
  };
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** @throws `RedefError` `truncated-gzip` or `invalid-gzip`, which name the source */
export async function* gunzip(
  source: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = Readable.from(source, { objectMode: false });
  const output = createGunzip({ chunkSize: chunkBytes });
  input.on('error', (error) => output.destroy(error)).pipe(output);
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    const truncated = code === 'Z_BUF_ERROR';
    throw new RedefError(`${name}: ${truncated ? 'the gzip data is cut off' : 'the gzip data is damaged'}`, {
      code: truncated ? 'truncated-gzip' : 'invalid-gzip',
      remedy: 'Download or compress the file again.',
      cause: error,
    });
  } finally {
    input.destroy();
  }
}
