import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RedefError, throwIfAborted } from '@redef/core';
import { fileError } from '@redef/core/files';
import { parseJson } from '../jsonl/json.js';
import type { PlacedRow, Row } from '../row.js';
import { connect, type DuckDbOptions, literalPath, sqlName } from './duckdb.js';
import { plainValueConverter } from './plain-value.js';

export interface ReadParquetOptions extends DuckDbOptions {
  /** Reads these columns alone, which is faster. Default all. */
  columns?: readonly string[];
  signal?: AbortSignal;
  /** Called as rows are read, with the number so far and in all. */
  onRows?: (done: number, total: number) => void;
}

/** Streams the rows of one Parquet file in their order, some thousand at a time. @throws `RedefError` `invalid-parquet` or `unknown-column` */
export async function* readParquet(
  path: string,
  { columns, signal, onRows, ...options }: ReadParquetOptions,
): AsyncGenerator<PlacedRow[], void, undefined> {
  await checkMagic(path);
  const missing = (name: string): never => {
    throw new RedefError(`${path}: no column ${JSON.stringify(name)}`, {
      code: 'unknown-column',
      remedy: 'Name columns that the file has.',
    });
  };
  const connection = await connect(options, dirname(path));
  try {
    const duckdb = await import('@duckdb/node-api');
    const convert = plainValueConverter(duckdb);
    const parameters = { path: literalPath(path) };
    const file = 'read_parquet($path, hive_partitioning = false)';
    const [[rows] = []] = await connection
      .runAndReadAll('SELECT num_rows FROM parquet_file_metadata($path)', parameters)
      .then((reader) => reader.getRowsJson());
    const total = Number(rows);
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${file}`, parameters);
    const schema = await connection.runAndReadAll('SELECT name, num_children FROM parquet_schema($path)', parameters);
    const found = topLevelNames(schema.getRowsJson());
    const all = described.getRowsJson().map(([name, type], i) => ({
      name: found[i]!,
      sql: sqlName(String(name)),
      type: String(type),
    }));
    const chosen = columns?.map((name) => all.find((column) => column.name === name) ?? missing(name)) ?? all;
    const names = chosen.map(({ name }) => name);
    const json = chosen.map(({ type }) => type === 'JSON');
    const selected = chosen.map(({ sql, type }) => markKept(sql, type));
    const result = await connection.stream(`SELECT ${selected.join(', ')} FROM ${file}`, parameters);
    let position = 0;
    for (;;) {
      throwIfAborted(signal);
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const values = names.map((_, i) => {
        const plain = chunk.convertColumnValues(i, convert);
        return json[i] ? plain.map((text) => (typeof text === 'string' ? parseJson(text) : text)) : plain;
      });
      const rows: PlacedRow[] = [];
      for (let at = 0; at < chunk.rowCount; at++) {
        position++;
        const row: Row = Object.fromEntries(names.map((name, i) => [name, values[i]![at]]));
        rows.push({ row, file: path, position, unit: 'row' });
      }
      yield rows;
      onRows?.(position, total);
    }
    // A failure in the middle of a stream (memory, a damaged page) looks like its end.
    if (position !== total) throw endedEarly(path, position, total);
  } catch (error) {
    throw parquetError(error, path);
  } finally {
    connection.closeSync();
  }
}

/**
 * The names of the columns as the file has them: DuckDB knows no upper and lower case and renames `A` beside `a`.
 *
 * @param elements of the schema tree, depth first: name and number of children, the root first
 */
function topLevelNames(elements: readonly (readonly unknown[])[]): string[] {
  const names: string[] = [];
  let inside = 0; // elements to come below the column at hand
  for (const [name, children] of elements.slice(1)) {
    if (inside === 0) names.push(String(name));
    else inside--;
    inside += Number(children ?? 0);
  }
  return names;
}

/** DuckDB's binding drops a byte order mark at the start of a text, so a text that has one is given a second. */
function markKept(column: string, type: string): string {
  const doubled = (text: string) =>
    `CASE WHEN starts_with(${text}, chr(65279)) THEN chr(65279) || ${text} ELSE ${text} END`;
  if (type === 'VARCHAR') return doubled(column);
  return type === 'VARCHAR[]' ? `list_transform(${column}, lambda text: ${doubled('text')})` : column;
}

/** DuckDB opens the file by itself; this tells a missing, unreadable or cut off one apart first. */
async function checkMagic(path: string): Promise<void> {
  const magic = Buffer.alloc(8);
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      await file.read(magic, 0, 4, 0);
      await file.read(magic, 4, 4, Math.max(0, size - 4));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
  const [start, end] = [magic.toString('latin1', 0, 4), magic.toString('latin1', 4)];
  if (start === 'PAR1' && end === 'PAR1') return;
  throw new RedefError(`${path}: ${start === 'PAR1' ? 'a Parquet file that is cut off' : 'not a Parquet file'}`, {
    code: 'invalid-parquet',
    remedy: start === 'PAR1' ? 'Download or write it again.' : 'Pass the format that it has: csv or jsonl.',
  });
}

function endedEarly(path: string, position: number, total: number): RedefError {
  return new RedefError(`${path}: reading ended after ${position} of ${total} rows`, {
    code: 'invalid-parquet',
    remedy: 'Raise memoryLimit; if that does not help, the file is damaged: download or write it again.',
  });
}

function parquetError(error: unknown, path: string): unknown {
  if (RedefError.isInstance(error) || !(error instanceof Error)) return error;
  const [line = ''] = error.message.split('\n');
  return new RedefError(`${path}: ${line}`, {
    code: 'invalid-parquet',
    remedy: 'Download or write the file again; if memory ran out, raise memoryLimit.',
    cause: error,
  });
}

/** Parquet keeps its index at the end: it is read from a file, not from a stream. */
export function needsAFile(name: string): RedefError {
  return new RedefError(`${name}: Parquet cannot be read from a stream or from gzip`, {
    code: 'needs-a-file',
    remedy: 'Save it to a file (gunzip it first) and pass its path.',
  });
}
