import { requireColumns } from './checks.js';
import { ColumnCheck } from './column-check.js';
import { DigestTable } from './digest-table.js';
import { inferLayout } from './layout.js';
import { type LevelOption, levelName } from './levels.js';
import { RowKeys } from './row-keys.js';
import { type Row, rowError } from './rows.js';

/** Numbers rows by their key at one level: rows that are the same have the same number. */
export class KeyNumbers {
  /** The columns compared; by {@link inferLayout} from the first row where none are given. */
  columns: readonly string[];
  readonly #level: LevelOption;
  readonly #table = new DigestTable();
  #keys: { writer: RowKeys; check: ColumnCheck } | undefined;

  constructor(level: LevelOption, columns?: readonly string[]) {
    requireColumns('key', columns);
    levelName(level); // throws for one that is unknown, also where no row comes
    this.#level = level;
    this.columns = columns ?? [];
  }

  get size(): number {
    return this.#table.size;
  }

  add(set: string, row: number, value: Row): number {
    if (!this.#keys) {
      if (this.columns.length === 0) this.columns = inferLayout(value).key;
      this.#keys = { writer: new RowKeys(this.columns, [this.#level]), check: new ColumnCheck(this.columns) };
    }
    const { writer, check } = this.#keys;
    check.check(set, row, value);
    try {
      writer.write(value);
    } catch (error) {
      throw rowError(set, row, error);
    }
    return this.#table.add(writer.digests, 0);
  }
}
