/** Bytes of a stream taken in pieces of a known length or up to a delimiter, each copied at most once. */
export class ByteQueue {
  #current: Buffer = Buffer.alloc(0);
  #offset = 0;
  readonly #chunks: AsyncIterator<Buffer>;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next byte without taking it; -1 at the end. */
  async peek(): Promise<number> {
    if (this.#offset >= this.#current.length && !(await this.#more(1))) return -1;
    return this.#current[this.#offset]!;
  }

  skip(count: number): void {
    this.#offset += count;
  }

  /** Bytes up to the delimiter, which is taken as well; `undefined` where the stream ends before it. */
  async until(delimiter: number): Promise<Buffer | undefined> {
    let from = this.#offset;
    for (;;) {
      const found = this.#current.indexOf(delimiter, from);
      if (found >= 0) {
        const bytes = this.#current.subarray(this.#offset, found);
        this.#offset = found + 1;
        return bytes;
      }
      const searched = this.#current.length - this.#offset;
      if (!(await this.#more(searched + 1))) return undefined;
      from = this.#offset + searched;
    }
  }

  /** Exactly so many bytes; `undefined` where the stream ends before. */
  async take(count: number): Promise<Buffer | undefined> {
    if (this.#current.length - this.#offset < count && !(await this.#more(count))) return undefined;
    const bytes = this.#current.subarray(this.#offset, this.#offset + count);
    this.#offset += count;
    return bytes;
  }

  /** Passes over so many bytes without holding them. */
  async discard(count: number): Promise<boolean> {
    let left = count;
    for (;;) {
      const here = Math.min(left, this.#current.length - this.#offset);
      this.#offset += here;
      left -= here;
      if (left === 0) return true;
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#current = next.value;
      this.#offset = 0;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Reads on until so many bytes are at hand. */
  async #more(count: number): Promise<boolean> {
    const parts = [this.#current.subarray(this.#offset)];
    let length = parts[0]!.length;
    while (length < count) {
      const next = await this.#chunks.next();
      if (next.done) {
        this.#current = Buffer.concat(parts, length);
        this.#offset = 0;
        return false;
      }
      parts.push(next.value);
      length += next.value.length;
    }
    this.#current = parts.length === 2 && parts[0]!.length === 0 ? parts[1]! : Buffer.concat(parts, length);
    this.#offset = 0;
    return true;
  }
}
