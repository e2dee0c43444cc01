import type { DuckDBConnection } from '@duckdb/node-api';
import { RedefError, requireOption, shown } from '@redef/core';

/** Bounds what DuckDB takes beside the heap of Node. */
export interface DuckDbOptions {
  /** 1 to 256, default 2. The rows and their order do not depend on it. */
  threads?: number;
  /** As DuckDB writes sizes. Default `1GB` for reading, `512MB` for writing. */
  memoryLimit?: string;
}

/** DuckDB starts as many as it is told to: a hundred thousand bring a machine to a halt. */
const mostThreads = 256;

/** {@link connect} for the time of `use`. */
export async function withDuckDb<T>(
  options: DuckDbOptions,
  temporaryFolder: string,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(options, temporaryFolder);
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
  }
}

/**
 * Opens an in-memory DuckDB. Its module is loaded by the first call, so that nobody who reads CSV or JSONL waits for it;
 * it fetches no extension.
 *
 * @param temporaryFolder where it may spill
 * @throws `RedefError` `duckdb-missing`, or `invalid-option` for options that DuckDB does not take
 */
export async function connect(
  { threads = 2, memoryLimit = '1GB' }: DuckDbOptions,
  temporaryFolder: string,
): Promise<DuckDBConnection> {
  const known = Number.isInteger(threads) && threads >= 1 && threads <= mostThreads;
  requireOption('threads', threads, known, `an integer from 1 to ${mostThreads}`);
  requireOption('memoryLimit', memoryLimit, typeof memoryLimit === 'string', "a size such as '1GB'");
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: unknown) => {
    throw new RedefError('DuckDB, which reads and writes Parquet, could not be loaded', {
      code: 'duckdb-missing',
      remedy: 'Install the package again on this machine, or convert the file to CSV or JSONL elsewhere.',
      cause,
    });
  });
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: temporaryFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }).catch((cause: unknown) => {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new RedefError(`threads ${shown(threads)} and memoryLimit ${shown(memoryLimit)} are refused: ${line}`, {
      code: 'invalid-option',
      remedy: "Pass threads: 2 and memoryLimit: '1GB', for example.",
      cause,
    });
  });
  const connection = await instance.connect();
  instance.closeSync(); // the connection keeps it open
  return connection;
}

/** A quoted SQL string or name. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** A path that DuckDB takes as it is: it reads `[`, `*` and `?` as a pattern otherwise. */
export const literalPath = (path: string): string => path.replace(/[[*?]/g, '[$&]');
