import { RedefError, shown, throwIfAborted } from '@redef/core';

/** One row of a table: column names to plain values, as CSV, JSONL and Parquet readers yield them. */
export type Row = Readonly<Record<string, unknown>>;

/** Named sets in their order, the evaluated one last: `{ train, validation, test }`. Each is read once, front to back. */
export type DataSets<R extends object = object> = Readonly<Record<string, AsyncIterable<R> | Iterable<R>>>;

/** Where a row stands: its set and its 0-based position in it, the index a data frame would give it. */
export interface RowRef {
  set: string;
  row: number;
  /** Its `id` column, where an audit met one. */
  id?: string;
}

/** Sets are members of a 32-bit mask. */
const maxSets = 31;

/**
 * The names of the sets, each of which must be something to iterate over.
 *
 * @throws `RedefError` `invalid-sets`
 */
export function namesOf(sets: DataSets): readonly string[] {
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets)) throw invalidSets('expected named sets', sets);
  for (const [name, rows] of Object.entries(sets)) requireRows(name, rows);
  return setNames(Object.keys(sets));
}

/** @throws `RedefError` `invalid-sets` for what cannot be iterated over */
export function requireRows(name: string, rows: unknown): void {
  const iterable =
    typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows);
  if (!iterable) throw invalidSets(`${name}: expected rows to iterate over`, rows);
}

function invalidSets(expected: string, found: unknown): RedefError {
  return new RedefError(`${expected}, got ${shown(found)}`, {
    code: 'invalid-sets',
    remedy: 'Pass sets by name, each a list or a stream of rows: { train, validation, test }.',
  });
}

/** @throws `RedefError` `invalid-sets` for none, too many, or a name made of digits (JavaScript would reorder those) */
export function setNames(names: readonly string[]): readonly string[] {
  const reordered = names.find((name) => /^\d+$/.test(name));
  if (names.length === 0 || names.length > maxSets || reordered !== undefined) {
    throw new RedefError(
      reordered === undefined
        ? `expected 1 to ${maxSets} named sets, got ${names.length}`
        : `a set cannot be named ${reordered}: objects do not keep the order of such names`,
      { code: 'invalid-sets', remedy: 'Pass the sets by name in their order: { train, validation, test }.' },
    );
  }
  return names;
}

/** @throws `RedefError` `invalid-row` where a row is not an object */
export function checkRow(set: string, row: number, value: object): asserts value is Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RedefError(`${set}, row ${row}: expected an object of columns, got ${shown(value)}`, {
      code: 'invalid-row',
      remedy: 'Pass rows as objects: { source: "...", target: "..." }.',
    });
  }
}

/** Yields the rows of one set with their positions, checked to be objects. */
export async function* numberedRows<R extends object>(
  set: string,
  rows: AsyncIterable<R> | Iterable<R>,
  signal?: AbortSignal,
): AsyncGenerator<{ row: number; value: R & Row }, void, undefined> {
  requireRows(set, rows);
  let row = 0;
  for await (const value of rows) {
    throwIfAborted(signal);
    checkRow(set, row, value);
    yield { row, value };
    row++;
  }
}

/** A failure to read one row's values, with its place where the row is at fault: a list thousands deep, or within itself. */
export function rowError(set: string, row: number, error: unknown): unknown {
  if (!(error instanceof RangeError || error instanceof TypeError)) return error;
  return new RedefError(`${set}, row ${row}: a value that holds itself, or is nested too deeply to compare`, {
    code: 'invalid-row',
    remedy: 'Pass texts and numbers, or leave that column out of the key.',
    cause: error,
  });
}
