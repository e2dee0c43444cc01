const quote = 0x22;
const apostrophe = 0x27;
const openBracket = 0x28;
const closeBracket = 0x29;
const backslash = 0x5c;
const newline = 0x0a;

/** Longest delimiter of a raw string (C++ standard, [lex.string]). */
const maxDelimiter = 16;

/**
 * Finds where the literals of one text end. What proves to have no end is not looked for again, so that a text of
 * nothing but quotes takes time in proportion to its length.
 */
export class LiteralEnds {
  readonly #text: Uint8Array;
  /** By kind of quote: up to where in the line none closes. */
  #openQuoteUntil = 0;
  #openApostropheUntil = 0;
  #rawStringsClose = true;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /** The end of the literal that the quote at `start` opens, or `undefined` where its line ends first. */
  after(start: number): number | undefined {
    const text = this.#text;
    const close = text[start]!;
    if (start < (close === quote ? this.#openQuoteUntil : this.#openApostropheUntil)) return undefined;
    let at = start + 1;
    for (; at < text.length; at++) {
      const byte = text[at]!;
      if (byte === close) return at + 1;
      if (byte === backslash) at++;
      else if (byte === newline) break;
    }
    if (close === quote) this.#openQuoteUntil = at;
    else this.#openApostropheUntil = at;
    return undefined;
  }

  /** The end of a literal with an encoding prefix at `start` and its quote at `at`: `L"..."`, `u8'x'`, `R"x(...)x"`. */
  afterPrefixed(start: number, at: number): number | undefined {
    const prefix = String.fromCharCode(...this.#text.subarray(start, at));
    if (!/^(u8|[uUL])?R?$/.test(prefix)) return undefined;
    return prefix.endsWith('R') && this.#text[at] === quote ? this.#afterRaw(at) : this.after(at);
  }

  #afterRaw(start: number): number | undefined {
    const text = this.#text;
    const head = text.subarray(start + 1, start + maxDelimiter + 2);
    const length = head.indexOf(openBracket);
    if (length < 0 || !this.#rawStringsClose) return undefined;
    const delimiter = head.subarray(0, length);
    const open = start + 1 + length;
    for (let close = text.indexOf(quote, open); close >= 0; close = text.indexOf(quote, close + 1)) {
      const from = close - length;
      if (from > open && text[from - 1] === closeBracket && delimiter.every((byte, at) => text[from + at] === byte)) {
        return close + 1;
      }
    }
    this.#rawStringsClose = false;
    return undefined;
  }
}

export function isQuote(byte: number | undefined): boolean {
  return byte === quote || byte === apostrophe;
}
