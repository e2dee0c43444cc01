import type { RowRef } from './rows.js';

/** Ids of rows that have one, by set and row. Each is kept as bytes of its own, so that no id holds on to a reader's text. */
export class RowIds {
  readonly #sets: { ends: number[]; bytes: Buffer; used: number }[];
  constructor(sets: number) {
    this.#sets = Array.from({ length: sets }, () => ({ ends: [], bytes: Buffer.alloc(0), used: 0 }));
  }

  /** Whether some row of the set has an id. */
  has(set: number): boolean {
    return this.#sets[set]!.used > 0;
  }

  /** @param row 0-based, in order within its set; anything but a text that is not empty is no id */
  add(set: number, row: number, id: unknown): void {
    if (typeof id !== 'string' || id === '') return;
    const ids = this.#sets[set]!;
    while (ids.ends.length < row) ids.ends.push(ids.used); // rows without an id take no bytes
    const room = ids.used + id.length * 3;
    if (room > ids.bytes.length) {
      const larger = Buffer.alloc(Math.max(1024, room * 2));
      ids.bytes.copy(larger, 0, 0, ids.used);
      ids.bytes = larger;
    }
    ids.used += ids.bytes.write(id, ids.used);
    ids.ends.push(ids.used);
  }

  get(set: number, row: number): string | undefined {
    const { ends, bytes } = this.#sets[set]!;
    const end = ends[row];
    const start = row === 0 ? 0 : ends[row - 1]!;
    return end === undefined || end === start ? undefined : bytes.toString('utf8', start, end);
  }

  /** The place with its id, where it has one. */
  name<Ref extends RowRef>(ref: Ref, names: readonly string[]): Ref {
    const id = this.get(names.indexOf(ref.set), ref.row);
    return id === undefined ? ref : { ...ref, id };
  }
}
