import type { DuckDBConnection } from '@duckdb/node-api';
import { RedefError } from '@redef/core';

/** Bounds what DuckDB takes beside the heap of Node. */
export interface DuckDbOptions {
  /** Default 2. The rows and their order do not depend on it. */
  threads?: number;
  /** As DuckDB writes sizes. Default `1GB` for reading, `512MB` for writing. */
  memoryLimit?: string;
}

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
 * @throws `RedefError` `duckdb-missing`
 */
export async function connect(
  { threads = 2, memoryLimit = '1GB' }: DuckDbOptions,
  temporaryFolder: string,
): Promise<DuckDBConnection> {
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
