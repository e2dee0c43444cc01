import { byteCharacters } from './byte-characters.js';
import type { TokenizerDefinition } from './definition.js';

/**
 * The merges of a byte-level BPE by number, for pieces of any length: n log n in the bytes of the piece with a small
 * constant, where the library, which merges strings, takes twenty times as long. Same ids: the earliest
 * merge first, among equals the leftmost (Sennrich et al., 2016).
 */
export class MergeTable {
  /** Place in the vocabulary of each byte's token. */
  readonly #bytes: Int32Array;
  readonly #ids: Int32Array;
  /** Rank of the merge of two tokens, by their places. */
  readonly #ranks = new Map<number, number>();
  /** Place of the token that each merge gives. */
  readonly #merged: Int32Array;

  constructor({ model: { vocab, merges } }: TokenizerDefinition) {
    const places = new Map(Object.keys(vocab).map((token, place) => [token, place]));
    this.#ids = Int32Array.from(Object.values(vocab));
    this.#bytes = Int32Array.from(byteCharacters, (character) => places.get(character)!);
    this.#merged = new Int32Array(merges.length);
    for (const [rank, [left, right]] of merges.entries()) {
      const [first, second] = [places.get(left), places.get(right)];
      if (first === undefined || second === undefined) continue; // never met: its parts are no tokens
      this.#ranks.set(pairOf(first, second), rank); // of a merge listed twice the last counts, as in the library
      this.#merged[rank] = places.get(left + right)!;
    }
  }

  /** Ids of a text that is one piece. */
  encode(piece: string): number[] {
    const bytes = Buffer.from(piece);
    const tokens = Int32Array.from(bytes, (byte) => this.#bytes[byte]!);
    // A list of tokens over the places of their first bytes, and the rank of each with the one after it, or -1.
    const { length } = tokens;
    const next = Int32Array.from(tokens, (_, i) => i + 1);
    const previous = Int32Array.from(tokens, (_, i) => i - 1);
    const ranks = new Int32Array(length).fill(-1);
    const queue = new MergeQueue();
    const rank = (at: number): void => {
      const after = next[at]!;
      const found = after < length ? this.#ranks.get(pairOf(tokens[at]!, tokens[after]!)) : undefined;
      ranks[at] = found ?? -1;
      if (found !== undefined) queue.push(found, at);
    };
    for (let i = 0; i < length; i++) rank(i);
    for (let merge = queue.next(); merge !== undefined; merge = queue.next()) {
      const at = queue.place;
      if (ranks[at] !== merge) continue; // a neighbour was merged since
      const gone = next[at]!;
      tokens[at] = this.#merged[merge]!;
      next[at] = next[gone]!;
      if (next[at]! < length) previous[next[at]!] = at;
      ranks[gone] = -1;
      rank(at);
      if (previous[at]! >= 0) rank(previous[at]!);
    }
    const ids: number[] = [];
    for (let i = 0; i < length; i = next[i]!) ids.push(this.#ids[tokens[i]!]!);
    return ids;
  }
}

function pairOf(left: number, right: number): number {
  return left * 2 ** 26 + right;
}

/**
 * Places where merges apply, the least rank first and its places from left to right. A heap holds each rank once: there
 * are far fewer ranks than places.
 */
class MergeQueue {
  /** Of the merge that `next` gave. */
  place = 0;
  readonly #ranks = new MinHeap();
  readonly #places = new Map<number, number[]>();
  #rank: number | undefined;
  /** Places of `#rank`, of which the last `#left` are still to come. */
  #sorted = new Int32Array();
  #left = 0;

  push(rank: number, place: number): void {
    const places = this.#places.get(rank);
    if (places) {
      places.push(place);
      return;
    }
    this.#places.set(rank, [place]);
    this.#ranks.push(rank);
  }

  /** The next merge's rank, `undefined` where none is left. */
  next(): number | undefined {
    if (this.#left === 0 || this.#ranks.least < this.#rank!) this.#turn();
    if (this.#left === 0) return undefined;
    this.place = this.#sorted[this.#sorted.length - this.#left--]!;
    return this.#rank;
  }

  /** Takes up the least rank. What is left of the one at hand, which a table learned from text never has then, goes back. */
  #turn(): void {
    for (; this.#left > 0; this.#left--) this.push(this.#rank!, this.#sorted[this.#sorted.length - this.#left]!);
    this.#rank = this.#ranks.pop();
    if (this.#rank === undefined) return;
    this.#sorted = Int32Array.from(this.#places.get(this.#rank)!).sort();
    this.#left = this.#sorted.length;
    this.#places.delete(this.#rank);
  }
}

class MinHeap {
  readonly #values: number[] = [];

  /** Infinity where there is none. */
  get least(): number {
    return this.#values[0] ?? Number.POSITIVE_INFINITY;
  }

  push(value: number): void {
    const values = this.#values;
    let i = values.length;
    values.push(value);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (values[parent]! <= value) break;
      values[i] = values[parent]!;
      i = parent;
    }
    values[i] = value;
  }

  pop(): number | undefined {
    const values = this.#values;
    const least = values[0];
    const value = values.pop();
    if (value === undefined || values.length === 0) return least;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= values.length) break;
      if (child + 1 < values.length && values[child + 1]! < values[child]!) child++;
      if (values[child]! >= value) break;
      values[i] = values[child]!;
      i = child;
    }
    values[i] = value;
    return least;
  }
}
