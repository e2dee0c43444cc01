import { Uint32List } from './digest-table.js';
import type { RowRef } from './rows.js';

/** Whether the sets follow one another in time, within each group (a repository, a repository and class) or overall. */
export interface TimeOrder {
  /** Columns within whose values the order is looked at; none is the whole table. */
  within: readonly string[];
  groups: number;
  /** Groups in which a later set has a row older than an earlier set's newest. */
  groupsOutOfOrder: number;
  /** Rows of a later set that are older than the newest row of an earlier set of their group, by set. */
  rowsTooEarly: Record<string, number>;
  /** Rows of an earlier set that are newer than the oldest row of a later set of their group, by set. */
  rowsTooLate: Record<string, number>;
  /** No row is out of order. Rows of one instant may stand on both sides. */
  holds: boolean;
  /** The first rows too early, each with the newest row that should have come after it. */
  examples: { at: RowRef; newer: RowRef }[];
}

const maxExamples = 20;

/** Keeps 20 bytes a row: the order of one row depends on all others. */
export class TimeTracker {
  readonly #names: readonly string[];
  readonly #sets: number[] = [];
  readonly #rows = new Uint32List();
  readonly #groups = new Uint32List();
  #times = new Float64Array(1024);

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** @param time milliseconds since 1970 */
  add(set: number, row: number, group: number, time: number): void {
    const index = this.#sets.length;
    this.#sets.push(set);
    this.#rows.set(index, row);
    this.#groups.set(index, group);
    if (index >= this.#times.length) {
      const larger = new Float64Array(this.#times.length * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[index] = time;
  }

  result(within: readonly string[], groups: number): TimeOrder {
    const sets = this.#names.length;
    // By group and set: the index of the oldest and of the newest row, plus one.
    const oldest = new Uint32Array(groups * sets);
    const newest = new Uint32Array(groups * sets);
    for (let index = 0; index < this.#sets.length; index++) {
      const cell = this.#groups.get(index) * sets + this.#sets[index]!;
      if (oldest[cell] === 0 || this.#times[index]! < this.#times[oldest[cell]! - 1]!) oldest[cell] = index + 1;
      if (newest[cell] === 0 || this.#times[index]! > this.#times[newest[cell]! - 1]!) newest[cell] = index + 1;
    }
    const zero = () => Object.fromEntries(this.#names.map((name) => [name, 0]));
    const result: TimeOrder = {
      within,
      groups,
      groupsOutOfOrder: 0,
      rowsTooEarly: zero(),
      rowsTooLate: zero(),
      holds: true,
      examples: [],
    };
    const outOfOrder = new Set<number>();
    for (let index = 0; index < this.#sets.length; index++) {
      const group = this.#groups.get(index);
      const set = this.#sets[index]!;
      const base = group * sets;
      const name = this.#names[set]!;
      const newer = this.#extreme(newest, base, base + set, (found, best) => found > best);
      const older = this.#extreme(oldest, base + set + 1, base + sets, (found, best) => found < best);
      if (newer !== undefined && this.#times[newer]! > this.#times[index]!) {
        result.rowsTooEarly[name]!++;
        outOfOrder.add(group);
        if (result.examples.length < maxExamples) {
          result.examples.push({ at: this.#ref(index), newer: this.#ref(newer) });
        }
      }
      if (older !== undefined && this.#times[older]! < this.#times[index]!) result.rowsTooLate[name]!++;
    }
    result.groupsOutOfOrder = outOfOrder.size;
    result.holds = outOfOrder.size === 0;
    return result;
  }

  /** The index of the extreme row among `cells[from..to)`. */
  #extreme(
    cells: Uint32Array,
    from: number,
    to: number,
    better: (found: number, best: number) => boolean,
  ): number | undefined {
    let best: number | undefined;
    for (let cell = from; cell < to; cell++) {
      if (cells[cell] === 0) continue;
      const index = cells[cell]! - 1;
      if (best === undefined || better(this.#times[index]!, this.#times[best]!)) best = index;
    }
    return best;
  }

  #ref(index: number): RowRef {
    return { set: this.#names[this.#sets[index]!]!, row: this.#rows.get(index) };
  }
}

/** Milliseconds since 1970 of an ISO 8601 date, a Unix time in seconds (10 digits) or in milliseconds (13), or `undefined`. */
export function timeOf(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime();
  if (typeof value === 'bigint') return timeOf(Number(value));
  if (typeof value === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(value)) {
    const time = Date.parse(/T.*(Z|[+-]\d\d:?\d\d)\s*$|GMT|UTC|[+-]\d{4}\s*$/.test(value) ? value : `${value.trim()}Z`);
    return Number.isNaN(time) ? undefined : time;
  }
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return number < 1e11 ? number * 1000 : number;
}
