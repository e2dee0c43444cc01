import { byteCharacters } from './byte-characters.js';
import type { TokenizerDefinition } from './definition.js';
import { MergeQueue } from './merge-queue.js';
import { PairRanks } from './pair-ranks.js';

/** Pieces of up to so many bytes are searched through for each merge: below this a queue costs more than it saves. */
const maxSearched = 64;

/**
 * The merges of a byte-level BPE by number. The library, which merges strings, takes many times as long. Same ids: the earliest
 * merge first, among equals the leftmost (Sennrich et al., 2016).
 */
export class MergeTable {
  /** Place in the vocabulary of each byte's token. */
  readonly #bytes: Int32Array;
  readonly #ids: Int32Array;
  /** By the places of the two tokens. */
  readonly #ranks: PairRanks;
  /** Place of the token that each merge gives. */
  readonly #merged: Int32Array;

  constructor({ model: { vocab, merges } }: TokenizerDefinition) {
    const places = new Map(Object.keys(vocab).map((token, place) => [token, place]));
    this.#ids = Int32Array.from(Object.values(vocab));
    this.#bytes = Int32Array.from(byteCharacters, (character) => places.get(character)!);
    this.#merged = new Int32Array(merges.length);
    this.#ranks = new PairRanks(merges.length);
    for (const [rank, [left, right]] of merges.entries()) {
      const [first, second] = [places.get(left), places.get(right)];
      if (first === undefined || second === undefined) continue; // never met: its parts are no tokens
      this.#ranks.set(first, second, rank); // of a merge listed twice the last counts, as in the library
      this.#merged[rank] = places.get(left + right)!;
    }
  }

  /** Ids of a text that is one piece. Takes n log n in its bytes. */
  encode(piece: string): number[] {
    const bytes = Buffer.from(piece);
    return bytes.length > maxSearched ? this.#mergeByQueue(bytes) : this.#mergeBySearch(bytes);
  }

  #mergeBySearch(bytes: Uint8Array): number[] {
    const tokens: number[] = [];
    for (let i = 0; i < bytes.length; i++) tokens.push(this.#bytes[bytes[i]!]!);
    const ranks: number[] = []; // of each token with the one after it
    for (let i = 0; i + 1 < tokens.length; i++) ranks.push(this.#ranks.get(tokens[i]!, tokens[i + 1]!));
    for (;;) {
      let at = -1;
      for (let i = 0; i < ranks.length; i++) {
        if (ranks[i]! >= 0 && (at < 0 || ranks[i]! < ranks[at]!)) at = i;
      }
      if (at < 0) break;
      tokens[at] = this.#merged[ranks[at]!]!;
      tokens.splice(at + 1, 1);
      ranks.splice(at, 1);
      if (at > 0) ranks[at - 1] = this.#ranks.get(tokens[at - 1]!, tokens[at]!);
      if (at < ranks.length) ranks[at] = this.#ranks.get(tokens[at]!, tokens[at + 1]!);
    }
    return tokens.map((token) => this.#ids[token]!);
  }

  #mergeByQueue(bytes: Uint8Array): number[] {
    const tokens = Int32Array.from(bytes, (byte) => this.#bytes[byte]!);
    // A list of tokens over the places of their first bytes, and the rank of each with the one after it, or -1.
    const { length } = tokens;
    const next = Int32Array.from(tokens, (_, i) => i + 1);
    const previous = Int32Array.from(tokens, (_, i) => i - 1);
    const ranks = new Int32Array(length).fill(-1);
    const queue = new MergeQueue();
    const rank = (at: number): void => {
      const after = next[at]!;
      const found = after < length ? this.#ranks.get(tokens[at]!, tokens[after]!) : -1;
      ranks[at] = found;
      if (found >= 0) queue.push(found, at);
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
