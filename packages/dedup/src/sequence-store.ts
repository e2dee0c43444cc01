import { Uint32List } from './digest-table.js';

const chunkBytes = 1 << 24;

/** Sequences of small numbers, one to two bytes a number as a rule (LEB128), in chunks outside the JavaScript heap. */
export class SequenceStore {
  readonly #chunks: Uint8Array[] = [];
  #used = chunkBytes;
  readonly #chunkOf = new Uint32List();
  readonly #offsets = new Uint32List();
  readonly #lengths = new Uint32List();
  #size = 0;

  /** Keeps `values[0..length)` and gives its number. */
  add(values: Uint32Array, length: number): number {
    const room = length * 5;
    if (this.#used + room > (this.#chunks.at(-1)?.length ?? 0)) {
      this.#chunks.push(new Uint8Array(Math.max(chunkBytes, room)));
      this.#used = 0;
    }
    const number = this.#size++;
    const chunk = this.#chunks.at(-1)!;
    this.#chunkOf.set(number, this.#chunks.length - 1);
    this.#offsets.set(number, this.#used);
    this.#lengths.set(number, length);
    this.#used = writeVarints(values, length, chunk, this.#used);
    return number;
  }

  length(number: number): number {
    return this.#lengths.get(number);
  }

  /** Fills `into`, which must be long enough, and gives the length. */
  read(number: number, into: Uint32Array): number {
    const chunk = this.#chunks[this.#chunkOf.get(number)]!;
    const length = this.#lengths.get(number);
    let at = this.#offsets.get(number);
    for (let index = 0; index < length; index++) {
      let byte = chunk[at++]!;
      let value = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = chunk[at++]!;
        value |= (byte & 0x7f) << shift;
      }
      into[index] = value >>> 0;
    }
    return length;
  }
}

/** Writes numbers as LEB128 and gives the offset behind them. */
export function writeVarints(values: Uint32Array, length: number, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let index = 0; index < length; index++) {
    let value = values[index]!;
    while (value >= 0x80) {
      bytes[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
  }
  return at;
}
