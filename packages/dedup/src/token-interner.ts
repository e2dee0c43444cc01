/** The words of C, C++ and Java that mean the same everywhere; every other word is a name someone chose. */
const keywords = new Set(
  `abstract alignas alignof asm assert auto bool boolean break byte case catch char class const constexpr const_cast continue
  decltype default delete do double dynamic_cast else enum explicit extends extern false final finally float for friend goto
  if implements import inline instanceof int interface long mutable namespace native new noexcept null nullptr NULL operator
  package private protected public register reinterpret_cast restrict return short signed sizeof static static_assert
  static_cast strictfp struct super switch synchronized template this thread_local throw throws transient true try typedef
  typeid typename union unsigned using virtual void volatile wchar_t while`.split(/\s+/),
);
const namePattern = /^[A-Za-z_$\x80-\xff][\w$\x80-\xff]*$/;

/** Numbers distinct tokens 0, 1, 2... by their bytes, which are kept once each in one flat buffer. */
export class TokenInterner {
  #size = 0;
  /** Open addressing; holds number + 1. */
  #slots = new Uint32Array(1 << 16);
  #hashes = new Uint32Array(1 << 14);
  #ends = new Uint32Array(1 << 14);
  #names = new Uint8Array(1 << 14);
  #bytes = new Uint8Array(1 << 18);
  #used = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether the token is an identifier that a rename could change. */
  isName(token: number): boolean {
    return this.#names[token] === 1;
  }

  add(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5; // FNV-1a
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash = mix32(hash);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let number = this.#slots[slot]!; number !== 0; number = this.#slots[slot]!) {
      if (this.#hashes[number - 1] === hash >>> 0 && this.#equals(number - 1, bytes, start, end)) return number - 1;
      slot = (slot + 1) & mask;
    }
    return this.#insert(slot, hash, bytes, start, end);
  }

  #equals(token: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = token === 0 ? 0 : this.#ends[token - 1]!;
    if (this.#ends[token]! - from !== end - start) return false;
    for (let at = start; at < end; at++) if (this.#bytes[from + at - start] !== bytes[at]) return false;
    return true;
  }

  #insert(slot: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const token = this.#size++;
    if (token === this.#hashes.length) {
      this.#hashes = grown(this.#hashes, new Uint32Array(token * 2));
      this.#ends = grown(this.#ends, new Uint32Array(token * 2));
      this.#names = grown(this.#names, new Uint8Array(token * 2));
    }
    while (this.#used + end - start > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, new Uint8Array(this.#bytes.length * 2));
    }
    this.#bytes.set(bytes.subarray(start, end), this.#used);
    this.#used += end - start;
    this.#ends[token] = this.#used;
    this.#hashes[token] = hash;
    const text =
      end - start > 200 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    this.#names[token] = namePattern.test(text) && !keywords.has(text) ? 1 : 0;
    this.#slots[slot] = token + 1;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return token;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let token = 0; token < this.#size; token++) {
      let slot = this.#hashes[token]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = token + 1;
    }
    this.#slots = slots;
  }
}

/** Spreads every bit of the input over the output (the finaliser of MurmurHash3). */
export function mix32(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
