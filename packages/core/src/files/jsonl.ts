import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { throwIfAborted } from '../concurrency.js';
import { RedefError } from '../errors.js';
import { parseRecord } from '../parse-record.js';
import type { RecordOf, RecordSchemaName } from '../records.js';
import { writeAtomically } from './atomic.js';
import { fileError } from './file-error.js';

/** One parsed line and its 1-based number. */
export interface JsonlLine {
  line: number;
  value: unknown;
}

export interface ReadJsonlOptions {
  signal?: AbortSignal;
  /** Longest line accepted, in bytes; a guard against reading a file of another kind into memory. Default 256 MiB. */
  maxLineBytes?: number;
  /** Default `JSON.parse`. */
  parse?: (text: string) => unknown;
}

const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Streams the lines of a JSONL file, or of a byte stream such as standard input. Blank lines are passed over; CR LF and
 * a byte order mark are accepted.
 *
 * @param name how errors name the source; default the path
 * @throws `RedefError` `jsonl-syntax` with `name:line` for what is not JSON and for a line that is too long; a last line cut off in the middle is told apart from bad JSON
 */
export async function* readJsonlLines(
  source: string | AsyncIterable<Uint8Array>,
  { signal, maxLineBytes = 256 * 2 ** 20, parse: parseText = JSON.parse }: ReadJsonlOptions = {},
  name = typeof source === 'string' ? source : 'standard input',
): AsyncGenerator<JsonlLine, void, undefined> {
  if (!(Number.isInteger(maxLineBytes) && maxLineBytes >= 1)) {
    throw new RedefError(`maxLineBytes must be an integer from 1, got ${String(maxLineBytes)}`, {
      code: 'invalid-option',
      remedy: 'Pass a number of bytes, or nothing for 256 MiB.',
    });
  }
  let parts: Uint8Array[] = [];
  let pendingBytes = 0;
  let line = 0;

  const checkLength = (bytes: number): void => {
    if (bytes > maxLineBytes) {
      throw syntaxError(`${name}:${line + 1}: a line longer than ${maxLineBytes} bytes`, undefined);
    }
  };
  const parse = (bytes: Uint8Array, terminated: boolean): JsonlLine | undefined => {
    line++;
    let text: string;
    try {
      text = utf8.decode(bytes).trim();
    } catch (cause) {
      throw syntaxError(`${name}:${line}: the line is not valid UTF-8`, cause);
    }
    if (text === '') return undefined;
    try {
      return { line, value: parseText(text) };
    } catch (cause) {
      throw syntaxError(
        terminated
          ? `${name}:${line}: not JSON: ${(cause as Error).message}`
          : `${name}:${line}: the last line is cut off: the file was not written to its end`,
        cause,
      );
    }
  };

  try {
    const chunks = typeof source === 'string' ? createReadStream(source, { highWaterMark: 1 << 18 }) : source;
    for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
      throwIfAborted(signal);
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const tail = chunk.subarray(start, end);
        checkLength(pendingBytes + tail.length);
        const parsed = parse(parts.length > 0 ? Buffer.concat([...parts, tail]) : tail, true);
        parts = [];
        pendingBytes = 0;
        start = end + 1;
        if (parsed) yield parsed;
      }
      if (start < chunk.length) {
        parts.push(chunk.subarray(start));
        pendingBytes += chunk.length - start;
        checkLength(pendingBytes);
      }
    }
  } catch (error) {
    throw fileError(error, name);
  }
  if (pendingBytes > 0) {
    const parsed = parse(Buffer.concat(parts), false);
    if (parsed) yield parsed;
  }
}

/** {@link readJsonlLines} with each row checked against its schema: see {@link parseRecord} for what it throws. */
export async function* readRecords<Name extends RecordSchemaName>(
  schema: Name,
  source: string | AsyncIterable<Uint8Array>,
  options: ReadJsonlOptions = {},
  name = typeof source === 'string' ? source : 'standard input',
): AsyncGenerator<RecordOf<Name>, void, undefined> {
  for await (const { line, value } of readJsonlLines(source, options, name)) {
    yield parseRecord(schema, value, `${name}:${line}`);
  }
}

/**
 * Writes rows as JSONL, whole or not at all, and gives their number. Memory stays flat however many there are.
 *
 * @throws `RedefError` `unsupported-value` for a row that JSON has no form for: `undefined`, a function, one that holds itself
 */
export async function writeJsonl(
  path: string,
  rows: AsyncIterable<unknown> | Iterable<unknown>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  return writeJsonlTables({ rows: path }, async (write) => {
    let written = 0;
    for await (const row of rows) {
      throwIfAborted(signal);
      await write('rows', row);
      written++;
    }
    return written;
  });
}

/**
 * Writes several JSONL files from one pass over their source. Each appears whole once `fill` is done; on any failure
 * none does, and older files stay as they were.
 *
 * @param paths the file of each table by the table's name
 * @param fill is given a function that appends a row to the named table
 */
export async function writeJsonlTables<Table extends string, Result>(
  paths: Readonly<Record<Table, string>>,
  fill: (write: (table: Table, row: unknown) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const writers = new Map<Table, ChunkWriter>();
  const open = async ([first, ...rest]: readonly [Table, string][]): Promise<Result> => {
    if (!first) {
      const result = await fill(async (table, row) => writers.get(table)!.write(`${jsonOf(row, paths[table])}\n`));
      for (const writer of writers.values()) await writer.flush();
      return result;
    }
    const [table, path] = first;
    return writeAtomically(path, async (file) => {
      writers.set(table, new ChunkWriter(file));
      return open(rest);
    });
  };
  return open(Object.entries(paths) as [Table, string][]);
}

class ChunkWriter {
  #text: string[] = [];
  #length = 0;

  constructor(private readonly file: FileHandle) {}

  async write(text: string): Promise<void> {
    this.#text.push(text);
    this.#length += text.length;
    if (this.#length >= 1 << 18) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const bytes = Buffer.from(this.#text.join(''));
    this.#text = [];
    this.#length = 0;
    await this.file.writeFile(bytes); // a FileHandle appends at its position
  }
}

function jsonOf(row: unknown, path: string): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(row);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    cause = error;
  }
  if (text !== undefined) return text;
  const what = cause instanceof Error ? cause.message.split('\n')[0] : typeof row;
  throw new RedefError(`${path}: a row that JSON has no form for: ${what}`, {
    code: 'unsupported-value',
    remedy: 'Pass rows of texts, numbers, booleans, null, lists and objects.',
    cause,
  });
}

function syntaxError(message: string, cause: unknown): RedefError {
  return new RedefError(message, {
    code: 'jsonl-syntax',
    remedy: 'Correct that line, or write the file again with the stage that makes it.',
    cause,
  });
}
