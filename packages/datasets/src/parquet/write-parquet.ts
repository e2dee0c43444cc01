import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError, throwIfAborted } from '@redef/core';
import { replaceFile, withTemporary } from '@redef/core/files';
import { inBatches } from '../encode/batches.js';
import type { Row } from '../row.js';
import { sqlType } from './column-type.js';
import { type DuckDbOptions, literalPath, sqlName, sqlText, withDuckDb } from './duckdb.js';
import { Staging } from './staging.js';

export interface WriteParquetOptions extends DuckDbOptions {
  columns?: readonly string[] | undefined;
  signal?: AbortSignal;
}

const rowGroupBytes = 2 ** 25;

/**
 * Writes one Parquet file (zstd), whole or not at all, and gives the number of rows. Column types are learnt from all
 * values, so columns may appear late and be null at first; the rows wait in a `.partial` folder beside `path` meanwhile, as
 * large as the same rows in JSONL.
 */
export async function writeParquet(
  path: string,
  rows: AsyncIterable<Row> | Iterable<Row>,
  { columns, signal, ...options }: WriteParquetOptions,
): Promise<number> {
  const staging = new Staging(columns);
  return withTemporary(path, async (folder) => {
    await mkdir(folder);
    const stage = join(folder, 'rows');
    await writeFile(stage, inBatches(stageRows(staging, rows, signal)));
    if (staging.columns.size === 0) {
      throw new RedefError(`${path}: no rows and no columns, which Parquet cannot hold`, {
        code: 'no-columns',
        remedy: 'Pass columns, or write JSONL.',
      });
    }
    checkNames([...staging.columns.keys()]);
    return replaceFile(path, async (partial) => {
      await withDuckDb({ memoryLimit: '512MB', ...options }, folder, async (connection) => {
        const interrupt = () => connection.interrupt();
        signal?.addEventListener('abort', interrupt);
        try {
          const copied = await connection.runAndReadAll(copyStatement(staging, stage, partial));
          const [[count] = []] = copied.getRowsJson();
          if (Number(count) !== staging.rows) throw new Error(`${count} of ${staging.rows} rows were copied`);
        } catch (error) {
          throwIfAborted(signal);
          throw copyError(error, path);
        } finally {
          signal?.removeEventListener('abort', interrupt);
        }
      });
      return staging.rows;
    });
  });
}

async function* stageRows(
  staging: Staging,
  rows: AsyncIterable<Row> | Iterable<Row>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) {
    throwIfAborted(signal);
    yield staging.line(row);
  }
}

/** DuckDB would rename one of two columns that differ in the case of ASCII letters alone. */
function checkNames(names: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const folded = name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const other = seen.get(folded);
    if (other !== undefined) {
      throw new RedefError(`columns ${JSON.stringify(other)} and ${JSON.stringify(name)} differ in case alone`, {
        code: 'parquet-columns',
        remedy: 'Rename one of them, or write CSV or JSONL.',
      });
    }
    seen.set(folded, name);
  }
}

function copyStatement({ columns, rows, bytes, longestLine }: Staging, stage: string, partial: string): string {
  const names = [...columns.keys()];
  const types = [...columns.values()].map((type, i) => `c${i}: ${sqlText(sqlType(type))}`);
  const selected = [...columns].map(([name, { kind }], i) => {
    // DuckDB has no column without a name: pandas calls the same column this.
    const alias = name === '' ? `Unnamed: ${names.indexOf('')}` : name;
    return `c${i}${kind === 'json' ? '::JSON' : ''} AS ${sqlName(alias)}`;
  });
  const rowsInGroup = Math.min(122_880, Math.max(2048, Math.round(rowGroupBytes / (bytes / Math.max(1, rows)))));
  return `COPY (
    SELECT ${selected.join(', ')}
    FROM read_json(${sqlText(literalPath(stage))}, format = 'newline_delimited', columns = {${types.join(', ')}},
      maximum_object_size = ${Math.max(2 ** 24, 4 * longestLine)})
  ) TO ${sqlText(partial)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowsInGroup})`;
}

function copyError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const full = /No space left|disk quota/i.test(error.message);
  return new RedefError(`${path}: ${full ? 'no space left' : error.message.split('\n')[0]}`, {
    code: full ? 'disk-full' : 'parquet-write',
    remedy: full
      ? 'Free some space and run the same command again.'
      : 'If memory ran out, raise memoryLimit; otherwise write JSONL.',
    cause: error,
  });
}
