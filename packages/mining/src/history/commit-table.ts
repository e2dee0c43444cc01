import { Column } from './column.js';

/**
 * The commits of a history as typed arrays, about 60 bytes each, numbered in the order they were read. What is longer (names,
 * messages, files) stays on disk at `offset`.
 */
export class CommitTable {
  count = 0;
  readonly #ids: Buffer;
  /** A hash table of the ids, by their first bytes: commit numbers plus one, 0 where free. */
  readonly #slots: Int32Array;
  #sorted: Uint32Array | undefined;
  readonly seconds: Float64Array;
  /** Where the commit's line begins in the spill file, and its length. */
  readonly offset: Float64Array;
  readonly length: Uint32Array;
  /** Commits with a parent outside of what was read have -1 there. */
  readonly firstParent: Int32Array;
  readonly parentCount: Uint16Array;
  /** The parents of merges after the first, and where each merge's begin. */
  readonly #otherParents = new Column(new Int32Array(0));
  readonly #othersAt: Uint32Array;
  /** Bits that the caller keeps. */
  readonly flags: Uint8Array;

  /**
   * @param size how many commits there will be
   * @param idBytes of an object id: 20, or 32 in a SHA-256 repository
   */
  constructor(
    size: number,
    private readonly idBytes: number,
  ) {
    this.#ids = Buffer.alloc(size * idBytes);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 2)));
    this.seconds = new Float64Array(size);
    this.offset = new Float64Array(size);
    this.length = new Uint32Array(size);
    this.firstParent = new Int32Array(size);
    this.parentCount = new Uint16Array(size);
    this.#othersAt = new Uint32Array(size);
    this.flags = new Uint8Array(size);
  }

  /** Parents are to be added before their children. */
  add(id: string, parents: readonly string[], seconds: number, offset: number, length: number): number {
    const index = this.count++;
    this.#ids.write(id, index * this.idBytes, 'hex');
    this.#slots[this.#slot(index * this.idBytes, this.#ids)] = index + 1;
    this.seconds[index] = seconds;
    this.offset[index] = offset;
    this.length[index] = length;
    this.parentCount[index] = parents.length;
    this.firstParent[index] = parents.length > 0 ? this.#number(parents[0]!) : -1;
    this.#othersAt[index] = this.#otherParents.count;
    for (let i = 1; i < parents.length; i++) this.#otherParents.push(this.#number(parents[i]!));
    return index;
  }

  /** The commit of a full id, -1 where there is none. */
  #number(id: string): number {
    return this.#slots[this.#slot(0, Buffer.from(id, 'hex'))]! - 1;
  }

  /** The slot that holds the id at an offset of some bytes, or the free one where it belongs. */
  #slot(at: number, bytes: Buffer): number {
    const last = this.#slots.length - 1;
    let slot = bytes.readUInt32LE(at) & last;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & last) {
      const other = (this.#slots[slot]! - 1) * this.idBytes;
      if (this.#ids.compare(bytes, at, at + this.idBytes, other, other + this.idBytes) === 0) break;
    }
    return slot;
  }

  id(index: number): string {
    return this.#ids.toString('hex', index * this.idBytes, (index + 1) * this.idBytes);
  }

  /** A parent by its place, from 0. */
  parent(index: number, place: number): number {
    return place === 0 ? this.firstParent[index]! : this.#otherParents.values[this.#othersAt[index]! + place - 1]!;
  }

  parents(index: number): number[] {
    return Array.from({ length: this.parentCount[index]! }, (_, place) => this.parent(index, place));
  }

  /** By object id, for ties. */
  compareIds(a: number, b: number): number {
    const size = this.idBytes;
    return this.#ids.compare(this.#ids, b * size, (b + 1) * size, a * size, (a + 1) * size);
  }

  /** The commits whose id begins with these hex digits: none, one, or two where it is ambiguous. */
  find(prefix: string): number[] {
    if (prefix.length === this.idBytes * 2) {
      const number = this.#number(prefix);
      return number < 0 ? [] : [number];
    }
    this.#sorted ??= new Uint32Array(this.count).map((_, index) => index).sort((a, b) => this.compareIds(a, b));
    const sorted = this.#sorted;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.id(sorted[middle]!) < prefix) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (let i = low; i < sorted.length && found.length < 2 && this.id(sorted[i]!).startsWith(prefix); i++)
      found.push(sorted[i]!);
    return found;
  }
}
