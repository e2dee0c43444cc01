/** Disjoint sets of 0..n-1, with path halving and union by size. */
export class UnionFind {
  readonly #parents: Int32Array;
  readonly #sizes: Int32Array;

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_none, index) => index);
    this.#sizes = new Int32Array(size).fill(1);
  }

  find(item: number): number {
    const parents = this.#parents;
    let at = item;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }

  /** False where the two were together already. */
  join(first: number, second: number): boolean {
    let large = this.find(first);
    let small = this.find(second);
    if (large === small) return false;
    if (this.#sizes[large]! < this.#sizes[small]!) [large, small] = [small, large];
    this.#parents[small] = large;
    this.#sizes[large]! += this.#sizes[small]!;
    return true;
  }
}
