import { RedefError } from '@redef/core';
import type { Row } from './rows.js';

/**
 * Watches that the rows of each set have the columns that are compared. The first row of a set must have all of them.
 * Later ones may lack some, as JSON leaves out what is null; but one that has none of them and others instead is of another
 * layout, as where a folder mixes files, and all such rows would pass for equal.
 */
export class ColumnCheck {
  readonly #columns: readonly string[];
  readonly #key: readonly string[];
  /** The columns of each set's first row. */
  readonly #first = new Map<string, ReadonlySet<string>>();

  /** @param others columns that the first row must have too */
  constructor(key: readonly string[], others: readonly string[] = []) {
    this.#key = key;
    this.#columns = [...new Set([...key, ...others])];
  }

  /**
   * @param row its 0-based position in its set; rows of a set come in order
   * @throws `RedefError` `missing-column`
   */
  check(set: string, row: number, value: Row): void {
    if (row === 0) {
      const missing = this.#columns.filter((column) => !Object.hasOwn(value, column));
      if (missing.length > 0) throw missingColumns(set, row, missing, value);
      this.#first.set(set, new Set(Object.keys(value)));
      return;
    }
    for (const column of this.#key) if (value[column] !== undefined) return;
    const first = this.#first.get(set);
    if (Object.keys(value).some((column) => !first?.has(column))) throw missingColumns(set, row, this.#key, value);
  }
}

function missingColumns(set: string, row: number, missing: readonly string[], value: Row): RedefError {
  const list = (columns: readonly string[]) => columns.map((name) => JSON.stringify(name)).join(', ');
  const place = row === 0 ? 'in its first row' : `in row ${row}`;
  return new RedefError(`${set}: no column ${list(missing)} ${place}, which has ${list(Object.keys(value))}`, {
    code: 'missing-column',
    remedy: 'Name the columns to compare with the key option, or give all sets the same columns.',
  });
}
