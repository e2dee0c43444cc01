import { RedefError, type RunOptions, shown, throwIfAborted } from '@redef/core';
import type { ReadJsonlOptions } from '@redef/core/files';
import { requireColumns, requireFormat, requireOptions } from './checks.js';
import { chooseColumns } from './choose-columns.js';
import { type ReadCsvOptions, readCsv } from './csv/read-csv.js';
import { type DataFormat, detectFormat, formatOfName, formats } from './format.js';
import { readJsonl } from './jsonl/read-jsonl.js';
import type { DuckDbOptions } from './parquet/duckdb.js';
import { needsAFile, readParquet } from './parquet/read-parquet.js';
import { applyPreset } from './presets/apply-preset.js';
import type { Preset } from './presets/preset.js';
import type { PresetName } from './presets/presets.js';
import type { PlacedRow, Row } from './row.js';
import { fileBytes, gunzip, isGzip, peek } from './sources/byte-source.js';
import { listInputs, type RowSource } from './sources/list-inputs.js';
import { toUtf8 } from './sources/utf8.js';

export interface ReadRowsOptions
  extends RunOptions,
    ReadCsvOptions,
    DuckDbOptions,
    Pick<ReadJsonlOptions, 'maxLineBytes'> {
  /** Default: told by each file's name or, where that does not tell, by its first bytes. */
  format?: DataFormat;
  /** Checks the columns against a published layout and gives them its types: see `presets`. */
  preset?: PresetName | Preset;
  /** Keeps these columns alone, in this order. From Parquet only they are read. Default all. */
  columns?: readonly string[];
  /** Of CSV and JSONL text: a label of the Encoding Standard. Default `utf-8`. */
  encoding?: string;
  /** How errors name a stream. Default `standard input`. */
  name?: string;
}

/**
 * Streams the rows of CSV, JSONL and Parquet files, gzip looked through. Memory stays flat however many there are, and a
 * consumer's `break` closes everything. Progress events count the bytes of the files as they lie on disk.
 *
 * @throws `RedefError` with the file and the line or row where it went wrong
 */
export async function* readRows(
  source: RowSource,
  options: ReadRowsOptions = {},
): AsyncGenerator<Row, void, undefined> {
  for await (const batch of readBatches(source, options)) {
    for (const { row } of batch) {
      throwIfAborted(options.signal);
      yield row;
    }
  }
}

/** {@link readRows}, each row with the place where it was read. */
export async function* readPlacedRows(
  source: RowSource,
  options: ReadRowsOptions = {},
): AsyncGenerator<PlacedRow, void, undefined> {
  for await (const batch of readBatches(source, options)) {
    for (const placed of batch) {
      throwIfAborted(options.signal);
      yield placed;
    }
  }
}

const headBytes = 16; // what tells formats apart; more would keep short first rows of a slow pipe waiting

type Batches = AsyncIterable<readonly PlacedRow[]>;
/** Takes the share of a file that was read, 0 to 1. */
type Report = (share: number) => void;

async function* readBatches(source: RowSource, options: ReadRowsOptions): AsyncGenerator<readonly PlacedRow[]> {
  requireOptions(options);
  if (options.format !== undefined) requireFormat(options.format, formats);
  requireColumns(options.columns);
  if (isStream(source)) {
    yield* shape(readStream(source, options.name ?? 'standard input', undefined, options), options);
    return;
  }
  const inputs = await listInputs(typeof source === 'string' ? [source] : source);
  const total = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  let before = 0;
  for (const { path, bytes } of inputs) {
    const report: Report = (share) => {
      const done = before + Math.round(share * bytes);
      options.onEvent?.({ type: 'progress', stage: 'read', done, total, unit: 'bytes' });
    };
    yield* shape(readFile(path, bytes, report, options), options);
    before += bytes;
  }
}

/** @throws `RedefError` `invalid-source` for what is neither paths nor a stream of bytes */
function isStream(source: RowSource): source is AsyncIterable<Uint8Array> {
  if (typeof source === 'string') return false;
  if (Array.isArray(source) && source.every((path) => typeof path === 'string')) return false;
  if (typeof source === 'object' && source !== null && Symbol.asyncIterator in source) return true;
  throw new RedefError(`expected paths or a stream to read rows from, got ${shown(source)}`, {
    code: 'invalid-source',
    remedy: 'Pass the path of a file or folder, a list of paths, or a byte stream such as process.stdin.',
  });
}

function shape(batches: Batches, { preset, columns }: ReadRowsOptions): Batches {
  const typed = preset === undefined ? batches : applyPreset(batches, preset);
  return columns === undefined ? typed : chooseColumns(typed, columns);
}

function readFile(path: string, bytes: number, report: Report, options: ReadRowsOptions): Batches {
  if ((options.format ?? formatOfName(path)) === 'parquet') return readParquetFile(path, report, options);
  let done = 0;
  const count = (read: number) => {
    done += read;
    report(bytes > 0 ? done / bytes : 1);
  };
  return readStream(fileBytes(path, count, options.signal), path, { path, report }, options);
}

function readParquetFile(path: string, report: Report, options: ReadRowsOptions): Batches {
  const { columns, preset, ...rest } = options;
  return readParquet(path, {
    ...rest,
    ...(columns !== undefined && preset === undefined && { columns }),
    onRows: (rows, total) => report(rows / total),
  });
}

async function* readStream(
  source: AsyncIterable<Uint8Array>,
  name: string,
  file: { path: string; report: Report } | undefined,
  options: ReadRowsOptions,
): AsyncGenerator<readonly PlacedRow[], void, undefined> {
  const raw = await peek(source, headBytes);
  const gzipped = isGzip(raw.head);
  try {
    const { head, bytes } = gzipped ? await peek(gunzip(raw.bytes, name), headBytes) : raw;
    const format = options.format ?? detectFormat(file?.path, head);
    if (format === 'parquet') {
      if (file === undefined || gzipped) throw needsAFile(name);
      yield* readParquetFile(file.path, file.report, options);
      return;
    }
    const text = toUtf8(bytes, head, options.encoding ?? 'utf-8', name);
    yield* format === 'csv' ? readCsv(text, name, options) : readJsonl(text, name, options);
  } finally {
    await raw.close();
  }
}
