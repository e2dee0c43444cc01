/** Words of one digest: 128 bits. */
export const digestWords = 4;

/**
 * Numbers distinct 128-bit digests 0, 1, 2... in the order they come. Holds 16 bytes a digest and 16 to 32 for its slot
 * in flat arrays outside the JavaScript heap, so that half a million rows cost some 20 MB however long their texts are.
 */
export class DigestTable {
  #size = 0;
  #digests = new Uint32Array(1024 * digestWords);
  /**
   * Open addressing with linear probing, at most half full. A slot is two words: number + 1, and 0 where free; and a word
   * of the digest, which tells most others apart without a look at the digests, far off in memory.
   */
  #slots = new Uint32Array(2 * 2048);

  get size(): number {
    return this.#size;
  }

  /** The number of the digest at `words[at..at + 3]`, given to it now if it is new: it is new when `size` grew. */
  add(words: Uint32Array, at: number): number {
    if (this.#size * 4 >= this.#slots.length) this.#grow();
    const slots = this.#slots;
    const digests = this.#digests;
    const mask = slots.length - 1;
    const mark = words[at + 1]!;
    let slot = (words[at]! * 2) & mask;
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      const base = (held - 1) * digestWords;
      if (
        slots[slot + 1] === mark &&
        digests[base] === words[at] &&
        digests[base + 2] === words[at + 2] &&
        digests[base + 3] === words[at + 3]
      ) {
        return held - 1;
      }
      slot = (slot + 2) & mask;
    }
    const number = this.#size++;
    slots[slot] = number + 1;
    slots[slot + 1] = mark;
    if (this.#size * digestWords > this.#digests.length) {
      this.#digests = grown(this.#digests);
    }
    for (let word = 0; word < digestWords; word++) this.#digests[number * digestWords + word] = words[at + word]!;
    return number;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = (this.#digests[number * digestWords]! * 2) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = number + 1;
      slots[slot + 1] = this.#digests[number * digestWords + 1]!;
    }
    this.#slots = slots;
  }
}

/** A list of 32-bit numbers by index that grows as it is written; what was never written is 0. */
export class Uint32List {
  #values = new Uint32Array(1024);

  get(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    while (index >= this.#values.length) this.#values = grown(this.#values);
    this.#values[index] = value;
  }

  /** The first `length` numbers, shared with the list until it next grows. */
  view(length: number): Uint32Array {
    if (length > 0) this.set(length - 1, this.get(length - 1));
    return this.#values.subarray(0, length);
  }
}

function grown(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
}
