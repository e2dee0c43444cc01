import { mix32 } from './token-interner.js';

/** Hashes the `width` tokens that start at each place; gives their number. A text shorter than that is one shingle. */
export function hashShingles(tokens: Uint32Array, length: number, width: number, into: Int32Array): number {
  if (length === 0) return 0;
  const count = Math.max(1, length - width + 1);
  for (let at = 0; at < count; at++) {
    let hash = 0;
    for (let token = at; token < at + width && token < length; token++)
      hash = mix32(Math.imul(hash, 31) + tokens[token]! + 1);
    into[at] = hash;
  }
  return count;
}

/** Distinct shingles of one text, found by hash and told apart by their tokens. */
interface ShingleSet {
  tokens: Uint32Array;
  length: number;
  hashes: Int32Array;
  /** Open addressing; holds place + 1. */
  slots: Int32Array;
  mask: number;
  size: number;
}

/** The exact Jaccard index of two texts' sets of shingles: shared over all distinct ones. Reuses its memory from pair to pair. */
export class ShingleJaccard {
  readonly #width: number;
  readonly #first: ShingleSet = emptySet();
  readonly #second: ShingleSet = emptySet();

  constructor(width: number) {
    this.#width = width;
  }

  /** Room for a text of that many tokens on the first or second side, to be filled by the caller. */
  room(side: 'first' | 'second', length: number): Uint32Array {
    const set = side === 'first' ? this.#first : this.#second;
    if (set.tokens.length < Math.max(1, length)) {
      set.tokens = new Uint32Array(length * 2 + 1);
      set.hashes = new Int32Array(length * 2 + 1);
    }
    set.length = length;
    return set.tokens;
  }

  compare(): number {
    this.#index(this.#first);
    this.#index(this.#second);
    const [small, large] =
      this.#first.size <= this.#second.size ? [this.#first, this.#second] : [this.#second, this.#first];
    let shared = 0;
    for (const slot of small.slots.subarray(0, small.mask + 1)) {
      if (slot !== 0 && this.#find(large, small, slot - 1) < 0) shared++;
    }
    const all = small.size + large.size - shared;
    return all === 0 ? 1 : shared / all;
  }

  #index(set: ShingleSet): void {
    const count = hashShingles(set.tokens, set.length, this.#width, set.hashes);
    let slots = 16;
    while (slots < count * 2) slots *= 2;
    if (set.slots.length < slots) set.slots = new Int32Array(slots);
    else set.slots.fill(0, 0, slots);
    set.mask = slots - 1;
    set.size = 0;
    for (let place = 0; place < count; place++) {
      const free = this.#find(set, set, place);
      if (free < 0) continue;
      set.slots[free] = place + 1;
      set.size++;
    }
  }

  /** -1 where `set` holds the shingle at `place` of `from`, otherwise the free slot where it would go. */
  #find(set: ShingleSet, from: ShingleSet, place: number): number {
    const hash = from.hashes[place]!;
    let slot = hash & set.mask;
    for (let held = set.slots[slot]!; held !== 0; held = set.slots[slot]!) {
      if (set.hashes[held - 1] === hash && this.#same(set, held - 1, from, place)) return -1;
      slot = (slot + 1) & set.mask;
    }
    return slot;
  }

  #same(first: ShingleSet, at: number, second: ShingleSet, place: number): boolean {
    for (let token = 0; token < this.#width; token++) {
      const inFirst = at + token < first.length;
      if (inFirst !== place + token < second.length) return false;
      if (inFirst && first.tokens[at + token] !== second.tokens[place + token]) return false;
    }
    return true;
  }
}

function emptySet(): ShingleSet {
  return {
    tokens: new Uint32Array(0),
    length: 0,
    hashes: new Int32Array(0),
    slots: new Int32Array(16),
    mask: 15,
    size: 0,
  };
}
