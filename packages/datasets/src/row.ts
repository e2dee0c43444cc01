/**
 * One row of a table: column names to plain values, in the order of the columns.
 *
 * CSV gives text and `null`. JSONL gives what JSON holds, with `bigint` for integers beyond 2^53. Parquet gives the same
 * set: dates and times as text, binary columns as `Uint8Array`.
 */
export type Row = Readonly<Record<string, unknown>>;

/** A row's own member, or null: a column may be called `constructor`. */
export function cell(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

/** A row and where it was read: what an error about it names. */
export interface PlacedRow {
  row: Row;
  /** Path, or the name given to a stream. */
  file: string;
  /** 1-based: the line of a JSONL file, the data row (header not counted) of CSV and Parquet. */
  position: number;
  unit: 'line' | 'row';
}

/** `train.csv, row 17` or `train.jsonl:17`. */
export function describePlace({ file, position, unit }: Omit<PlacedRow, 'row'>): string {
  return unit === 'line' ? `${file}:${position}` : `${file}, row ${position}`;
}
