/**
 * Rank of the merge of two tokens: a hash table with open addressing. A `Map` would need one key for both tokens, which is
 * too large for a small integer, and takes ten times as long to look up.
 */
export class PairRanks {
  readonly #mask: number;
  /** Left token, right token and rank plus one of each entry; a rank of 0 is a free place. */
  readonly #entries: Int32Array;

  /** @param capacity Most pairs that will be set. */
  constructor(capacity: number) {
    const places = 2 ** Math.ceil(Math.log2(2 * capacity + 1));
    this.#mask = places - 1;
    this.#entries = new Int32Array(3 * places);
  }

  set(left: number, right: number, rank: number): void {
    this.#entries.set([left, right, rank + 1], 3 * this.#placeOf(left, right));
  }

  /** -1 where the two do not merge. */
  get(left: number, right: number): number {
    return this.#entries[3 * this.#placeOf(left, right) + 2]! - 1;
  }

  /** The pair's place, or the free one where it would stand. */
  #placeOf(left: number, right: number): number {
    const entries = this.#entries;
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let place = hash & this.#mask; ; place = (place + 1) & this.#mask) {
      const at = 3 * place;
      if (entries[at + 2] === 0 || (entries[at] === left && entries[at + 1] === right)) return place;
    }
  }
}
