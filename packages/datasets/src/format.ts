import { RedefError } from '@redef/core';

export const formats = ['csv', 'jsonl', 'parquet'] as const;
export type DataFormat = (typeof formats)[number];

const byExtension: Record<string, DataFormat> = {
  csv: 'csv',
  tsv: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
  pq: 'parquet',
};

/** By the file's name alone, `.gz` looked through; `undefined` for names that do not tell (`.json`, `.txt`, none). */
export function formatOfName(path: string): DataFormat | undefined {
  const extension = /\.(\w+)(?:\.gz)?$/i.exec(path)?.[1];
  return extension === undefined ? undefined : byExtension[extension.toLowerCase()];
}

/**
 * The format of a file by its name or, where the name does not tell, by its first bytes.
 *
 * @param head the first bytes, after gunzip; 4 or more tell Parquet and archives apart
 * @throws `RedefError` `unsupported-format` for what is none of the three, with how to convert it
 */
export function detectFormat(path: string | undefined, head?: Uint8Array): DataFormat {
  const start = head === undefined ? '' : Buffer.from(head.subarray(0, 64)).toString('latin1');
  if (start.startsWith('PAR1')) return 'parquet';
  const foreign = foreignFormats.find(({ magic }) => start.startsWith(magic));
  if (foreign) {
    throw new RedefError(`${path ?? 'the input'}: ${foreign.is}, expected CSV, JSONL or Parquet`, {
      code: 'unsupported-format',
      remedy: foreign.remedy,
    });
  }
  const named = path === undefined ? undefined : formatOfName(path);
  if (named) return named;
  const first = start.replace(/^\xef\xbb\xbf/, '').trimStart()[0];
  if (first === '[') {
    throw new RedefError(`${path ?? 'the input'}: one JSON array, expected one JSON object a line`, {
      code: 'unsupported-format',
      remedy: "Turn it into JSONL first: jq -c '.[]' FILE > FILE.jsonl",
    });
  }
  return first === '{' ? 'jsonl' : 'csv';
}

const foreignFormats = [
  { magic: 'PK\x03\x04', is: 'a ZIP archive', remedy: 'Unpack it and pass the files inside.' },
  { magic: 'BZh', is: 'compressed by bzip2', remedy: 'Decompress it first: bunzip2 -k FILE' },
  { magic: '\xfd7zXZ', is: 'compressed by xz', remedy: 'Decompress it first: xz -dk FILE' },
  { magic: '\x28\xb5\x2f\xfd', is: 'compressed by zstd', remedy: 'Decompress it first: zstd -d FILE' },
  {
    magic: 'SQLite format 3',
    is: 'a SQLite database',
    remedy: 'Export a table first: sqlite3 -header -csv FILE "SELECT * FROM method_change" > method_change.csv',
  },
];
