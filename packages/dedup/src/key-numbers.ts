import { DigestTable } from './digest-table.js';
import { checkColumns, inferLayout } from './layout.js';
import type { LevelOption } from './levels.js';
import { RowKeys } from './row-keys.js';
import type { Row } from './rows.js';

/** Numbers rows by their key at one level: rows that are the same have the same number. */
export class KeyNumbers {
  /** The columns compared; by {@link inferLayout} from the first row where none are given. */
  columns: readonly string[];
  readonly #level: LevelOption;
  readonly #table = new DigestTable();
  #keys: RowKeys | undefined;

  constructor(level: LevelOption, columns?: readonly string[]) {
    this.#level = level;
    this.columns = columns ?? [];
  }

  get size(): number {
    return this.#table.size;
  }

  add(set: string, row: number, value: Row): number {
    if (!this.#keys) {
      if (this.columns.length === 0) this.columns = inferLayout(value).key;
      this.#keys = new RowKeys(this.columns, [this.#level]);
    }
    if (row === 0) checkColumns(set, value, this.columns);
    this.#keys.write(value);
    return this.#table.add(this.#keys.digests, 0);
  }
}
