import { RedefError } from '@redef/core';
import { unsupported } from '../encode/unsupported.js';
import { stringifyJson } from '../jsonl/json.js';
import type { Row } from '../row.js';
import { type ColumnType, typeOfValue, widen } from './column-type.js';

/**
 * Rows on their way into a Parquet file, whose column types are known only once the last row was seen: each row becomes
 * a line of JSON that DuckDB reads back with the types learnt. Columns are `c0`, `c1`, ... in order of appearance.
 */
export class Staging {
  readonly columns = new Map<string, ColumnType>();
  rows = 0;
  bytes = 0;
  longestLine = 0;

  /** @param columns that are there whether or not a row has them, first and in this order */
  constructor(columns: readonly string[] = []) {
    for (const name of columns) this.columns.set(name, { kind: 'unknown' });
  }

  /** @throws `RedefError` `mixed-types` or `unsupported-value`, which name the row and the column */
  line(row: Row): string {
    this.rows++;
    const staged = new Map<string, unknown>();
    for (const [name, value] of Object.entries(row)) {
      const type = this.#learn(name, value);
      if (type.kind !== 'unknown') staged.set(name, stageValue(value, type));
    }
    const names = [...this.columns.keys()];
    const line = `${stringifyJson(Object.fromEntries(names.map((name, i) => [`c${i}`, staged.get(name)])))}\n`;
    if (halfSurrogate.test(line)) throw this.#error('unsupported-value', '?', 'holds half of a surrogate pair');
    this.bytes += line.length;
    this.longestLine = Math.max(this.longestLine, line.length);
    return line;
  }

  #learn(name: string, value: unknown): ColumnType {
    const found = unsupported(value);
    if (found !== undefined) throw this.#error('unsupported-value', name, `holds ${found}`);
    const type = typeOfValue(value);
    const before = this.columns.get(name) ?? { kind: 'unknown' };
    const both = widen(before, type);
    if (both === undefined) {
      throw this.#error('mixed-types', name, `holds ${label(type)} where earlier rows hold ${label(before)}`);
    }
    if (both !== before) this.columns.set(name, both);
    return type;
  }

  #error(code: string, name: string, what: string): RedefError {
    return new RedefError(`row ${this.rows}: column ${JSON.stringify(name)} ${what}`, {
      code,
      remedy: 'A Parquet column has one type: convert the values to it first, or write JSONL.',
    });
  }
}

/** JSON writes half of a surrogate pair as an escape, which DuckDB cannot read back. */
const halfSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function stageValue(value: unknown, type: ColumnType): unknown {
  if (type.kind === 'json') return stringifyJson(value);
  if (Array.isArray(value)) return value.map((element) => stageValue(element, { kind: 'text' }));
  if (typeof value !== 'number') return value;
  // JSON has no form for these; DuckDB reads the texts as numbers.
  if (Object.is(value, -0)) return '-0.0';
  return Number.isFinite(value) ? value : String(value);
}

function label(type: ColumnType): string {
  return type.kind === 'list' ? `a list of ${label(type.of)}` : type.kind;
}
