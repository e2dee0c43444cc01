import { writeFile } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { RedefError, type RunOptions, requireOption, throwIfAborted } from '@redef/core';
import { writeAtomically } from '@redef/core/files';
import { requireColumns, requireDelimiter, requireFormat, requireOptions, requirePath } from './checks.js';
import { type EncodeCsvOptions, encodeCsv } from './csv/encode-csv.js';
import { inBatches } from './encode/batches.js';
import { requireRow, requireRows } from './encode/checked-rows.js';
import { type DataFormat, formatOfName, formats } from './format.js';
import { encodeJsonl } from './jsonl/encode-jsonl.js';
import type { DuckDbOptions } from './parquet/duckdb.js';
import { writeParquet } from './parquet/write-parquet.js';
import type { Row } from './row.js';

export interface EncodeRowsOptions extends EncodeCsvOptions {
  format: 'csv' | 'jsonl';
}

export interface WriteRowsOptions extends RunOptions, EncodeCsvOptions, DuckDbOptions {
  /** Default: told by the file's name. */
  format?: DataFormat;
  /** Default: names that end in `.gz`. */
  gzip?: boolean;
}

/** Rows as bytes, for a pipe or standard output. {@link writeRows} writes the same bytes to a file. */
export async function* encodeRows(
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: EncodeRowsOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  requireOptions(options);
  const { format, columns, delimiter } = options;
  requireFormat(format, ['csv', 'jsonl']);
  requireColumns(columns);
  requireDelimiter(delimiter);
  requireRows(rows);
  async function* checked(): AsyncGenerator<Row, void, undefined> {
    let position = 0;
    for await (const row of rows) {
      requireRow(row, ++position);
      yield row;
    }
  }
  yield* encode(checked(), { format, columns, delimiter });
}

function encode(
  rows: AsyncIterable<Row>,
  { format, columns, delimiter }: EncodeRowsOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  return inBatches(format === 'csv' ? encodeCsv(rows, { columns, delimiter }) : encodeJsonl(rows, columns));
}

/**
 * Writes rows as CSV, JSONL or Parquet, whole or not at all, and gives their number: on any failure, and when the signal
 * fires, an older file at `path` stays as it was. Memory stays flat.
 *
 * @throws `RedefError` `unsupported-value` for what a format has no form for: bytes, functions, symbols, maps, sets, a date
 *   that is none, a value that holds itself
 */
export async function writeRows(
  path: string,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: WriteRowsOptions = {},
): Promise<number> {
  requireOptions(options);
  const { signal, onEvent, columns, delimiter } = options;
  requirePath(path);
  if (options.format !== undefined) requireFormat(options.format, formats);
  requireColumns(columns);
  requireDelimiter(delimiter);
  requireOption('gzip', options.gzip, ['undefined', 'boolean'].includes(typeof options.gzip), 'true or false');
  requireRows(rows);
  const format = options.format ?? formatOfName(path);
  const gzip = options.gzip ?? /\.gz$/i.test(path);
  if (format === undefined) {
    throw new RedefError(`${path}: the name does not tell the format`, {
      code: 'unsupported-format',
      remedy: 'End the name in .csv, .tsv, .jsonl or .parquet (with .gz for the first three), or pass format.',
    });
  }
  if (format === 'parquet' && gzip) {
    throw new RedefError(`${path}: Parquet is compressed inside`, {
      code: 'unsupported-format',
      remedy: 'Write it without gzip.',
    });
  }

  let written = 0;
  const report = () => onEvent?.({ type: 'progress', stage: 'write', done: written, unit: 'rows' });
  async function* counted(): AsyncGenerator<Row, void, undefined> {
    for await (const row of rows) {
      throwIfAborted(signal);
      requireRow(row, written + 1);
      written++;
      if (written % 1000 === 0) report();
      yield row;
    }
  }

  if (format === 'parquet') {
    await writeParquet(path, counted(), options);
  } else {
    const bytes = encode(counted(), {
      format,
      columns,
      delimiter: delimiter ?? (/\.tsv(\.gz)?$/i.test(path) ? '\t' : ','),
    });
    await writeAtomically(path, (file) => writeFile(file, gzip ? compress(bytes) : bytes));
  }
  report();
  return written;
}

function compress(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(bytes, { objectMode: false }), createGzip(), () => {}); // a failure shows to the reader
}
