import { findMarkers, tagPrefix } from './strip.js';
import { TokenInterner } from './token-interner.js';
import { createTokenSpans, scanTokens } from './tokens.js';

/** Reads texts as numbers of tokens, their tag and bug markers left out. Its arrays are reused from text to text. */
export class TokenReader {
  tokens = new Uint32Array(1 << 12);
  /** The tokens under consistent abstraction, once {@link abstract} has run. */
  abstracted = new Uint32Array(1 << 12);
  readonly #interner = new TokenInterner();
  readonly #spans = createTokenSpans();
  readonly #markers: number[] = [];
  #bytes = Buffer.allocUnsafe(1 << 16);

  /** Fills `tokens` and gives their number. */
  read(text: string): number {
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(text.length * 6);
    const bytes = this.#bytes;
    const start = Buffer.byteLength(tagPrefix(text));
    const end = this.#dropMarkers(start, bytes.write(text));
    scanTokens(bytes, start, end, this.#spans);
    const { count, starts, ends } = this.#spans;
    if (count > this.tokens.length) {
      this.tokens = new Uint32Array(count * 2);
      this.abstracted = new Uint32Array(count * 2);
    }
    for (let token = 0; token < count; token++) {
      this.tokens[token] = this.#interner.add(bytes, starts[token]!, ends[token]!);
    }
    return count;
  }

  /** Fills `abstracted`: a name by the order of its first occurrence as an even number, any other token as an odd one. */
  abstract(length: number): void {
    const order = new Map<number, number>();
    for (let at = 0; at < length; at++) {
      const token = this.tokens[at]!;
      if (!this.#interner.isName(token)) {
        this.abstracted[at] = token * 2 + 1;
        continue;
      }
      let name = order.get(token);
      if (name === undefined) {
        name = order.size * 2;
        order.set(token, name);
      }
      this.abstracted[at] = name;
    }
  }

  #dropMarkers(start: number, end: number): number {
    const offsets = findMarkers(this.#bytes, start, end, this.#markers);
    if (offsets === 0) return end;
    let at = this.#markers[0]!;
    for (let span = 0; span < offsets; span += 2) {
      const next = span + 2 < offsets ? this.#markers[span + 2]! : end;
      at += this.#bytes.copy(this.#bytes, at, this.#markers[span + 1]!, next);
    }
    return at;
  }
}
