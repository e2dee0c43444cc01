/** Grows typed arrays by half as commits are added. */
const growth = 1.5;

/**
 * The commits of a history as typed arrays, about 60 bytes each, numbered in the order they were read. What is longer (names,
 * messages, files) stays on disk at `offset`.
 */
export class CommitTable {
  count = 0;
  /** Bytes of an object id: 20, or 32 in a SHA-256 repository. */
  #idBytes = 20;
  #ids = Buffer.alloc(0);
  #sorted: Uint32Array | undefined;
  seconds = new Float64Array(0);
  /** Where the commit's line begins in the spill file, and its length. */
  offset = new Float64Array(0);
  length = new Uint32Array(0);
  /** Commits with a parent outside of what was read have -1 there. */
  firstParent = new Int32Array(0);
  parentCount = new Uint16Array(0);
  readonly otherParents = new Map<number, readonly number[]>();
  /** Bits that the caller keeps. */
  flags = new Uint8Array(0);

  add(id: string, parents: readonly string[], seconds: number, offset: number, length: number): number {
    if (this.count === this.seconds.length) this.#grow(id);
    const index = this.count++;
    this.#ids.write(id, index * this.#idBytes, 'hex');
    this.seconds[index] = seconds;
    this.offset[index] = offset;
    this.length[index] = length;
    this.parentCount[index] = parents.length;
    this.#sorted = undefined;
    this.#pending.set(id, index);
    this.firstParent[index] = this.#known(parents[0]);
    if (parents.length > 1)
      this.otherParents.set(
        index,
        parents.slice(1).map((parent) => this.#known(parent)),
      );
    return index;
  }

  // Parents are read before their children, most of them shortly before: a map of the last commits spares the sort.
  #pending = new Map<string, number>();

  #known(id: string | undefined): number {
    return id === undefined ? -1 : (this.#pending.get(id) ?? -1);
  }

  /** To be called once all commits are there: lets go of what only `add` needs. */
  seal(): void {
    this.#pending = new Map();
    this.#sort();
  }

  #grow(id: string): void {
    if (this.count === 0) this.#idBytes = id.length / 2;
    const size = Math.max(1024, Math.ceil(this.count * growth));
    const ids = Buffer.alloc(size * this.#idBytes);
    this.#ids.copy(ids);
    this.#ids = ids;
    this.seconds = grown(this.seconds, new Float64Array(size));
    this.offset = grown(this.offset, new Float64Array(size));
    this.length = grown(this.length, new Uint32Array(size));
    this.firstParent = grown(this.firstParent, new Int32Array(size));
    this.parentCount = grown(this.parentCount, new Uint16Array(size));
    this.flags = grown(this.flags, new Uint8Array(size));
  }

  id(index: number): string {
    return this.#ids.toString('hex', index * this.#idBytes, (index + 1) * this.#idBytes);
  }

  parents(index: number): readonly number[] {
    const first = this.firstParent[index]!;
    const others = this.otherParents.get(index);
    if (others) return [first, ...others];
    return this.parentCount[index] === 0 ? [] : [first];
  }

  /** By object id, for ties. */
  compareIds(a: number, b: number): number {
    const size = this.#idBytes;
    return this.#ids.compare(this.#ids, b * size, (b + 1) * size, a * size, (a + 1) * size);
  }

  /** The commits whose id begins with these hex digits: none, one, or two where it is ambiguous. */
  find(prefix: string): number[] {
    const sorted = this.#sorted ?? this.#sort();
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

  #sort(): Uint32Array {
    const sorted = new Uint32Array(this.count).map((_, index) => index);
    const heads = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) heads[i] = this.#ids.readUIntBE(i * this.#idBytes, 6);
    sorted.sort((a, b) => heads[a]! - heads[b]! || this.compareIds(a, b));
    this.#sorted = sorted;
    return sorted;
  }
}

function grown<T extends Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
