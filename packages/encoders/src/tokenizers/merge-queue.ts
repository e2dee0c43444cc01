/**
 * Places where merges apply, the least rank first and its places from left to right. A heap holds each rank once: there
 * are far fewer ranks than places.
 */
export class MergeQueue {
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
