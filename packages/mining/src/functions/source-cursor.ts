import {
  apostrophe,
  backslash,
  carriageReturn,
  isWord,
  newline,
  nine,
  openParen,
  quote,
  slash,
  star,
  zero,
} from './character-codes.js';
import type { Language } from './language.js';

/** A place in a source file, and the ways past what has no tokens in it: comments, literals, the rest of a line. */
export class SourceCursor {
  position = 0;
  /** 1-based; each way past newlines counts them. */
  line = 1;

  constructor(
    readonly bytes: Buffer,
    readonly language: Language,
  ) {}

  /** Past a comment that begins at `start`; `undefined` where none does. */
  comment(start: number): number | undefined {
    const { bytes } = this;
    const next = bytes[start + 1];
    if (next === slash) {
      let end = bytes.indexOf(newline, start);
      if (end < 0) return bytes.length;
      while (bytes[end - 1] === backslash || (bytes[end - 1] === carriageReturn && bytes[end - 2] === backslash)) {
        this.line++;
        end = bytes.indexOf(newline, end + 1);
        if (end < 0) return bytes.length;
      }
      return end;
    }
    if (next !== star) return undefined;
    let i = start + 2;
    const end = bytes.length;
    while (i < end) {
      const character = bytes[i]!;
      if (character === star && bytes[i + 1] === slash) return i + 2;
      if (character === newline) this.line++;
      i++;
    }
    return end;
  }

  /** Past a string or character literal; one that its line does not close ends with the line. */
  literal(start: number): number {
    const { bytes } = this;
    const end = bytes.length;
    const delimiter = bytes[start]!;
    if (delimiter === apostrophe && start > 0 && this.#isDigitSeparator(start)) return start + 1;
    if (delimiter === quote && start > 0 && bytes[start - 1] === 82) {
      const raw = this.#rawString(start - 1);
      if (raw !== undefined) return raw;
    }
    let i = start + 1;
    while (i < end) {
      const character = bytes[i]!;
      if (character === delimiter) return i + 1;
      if (character === newline) return i;
      if (character === backslash) {
        if (bytes[i + 1] === newline) this.line++;
        else if (bytes[i + 1] === carriageReturn && bytes[i + 2] === newline) {
          this.line++;
          i++;
        }
        i++;
      }
      i++;
    }
    return end;
  }

  /** `1'000`, but not the prefix of `u8'a'` or `L'a'`. */
  #isDigitSeparator(at: number): boolean {
    const { bytes } = this;
    if (!isWord[bytes[at - 1]!] || !isWord[bytes[at + 1]!]) return false;
    let start = at - 1;
    while (start > 0 && (isWord[bytes[start - 1]!] || bytes[start - 1] === apostrophe)) start--;
    return bytes[start]! >= zero && bytes[start]! <= nine;
  }

  /** Past `R"x(...)x"` where `at` is its `R`. */
  #rawString(at: number): number | undefined {
    const { bytes } = this;
    if (this.language !== 'cpp' || bytes[at + 1] !== quote) return undefined;
    if (
      at > 0 &&
      isWord[bytes[at - 1]!] &&
      !/(?:^|\W)(?:u8|u|U|L)$/.test(bytes.toString('latin1', Math.max(0, at - 3), at))
    ) {
      return undefined;
    }
    let open = at + 2;
    while (open < bytes.length && bytes[open] !== openParen && open - at < 19) open++;
    if (bytes[open] !== openParen) return undefined;
    const terminator = `)${bytes.toString('latin1', at + 2, open)}"`;
    const found = bytes.indexOf(terminator, open, 'latin1');
    const end = found < 0 ? bytes.length : found + terminator.length;
    for (let i = bytes.indexOf(newline, at); i >= 0 && i < end; i = bytes.indexOf(newline, i + 1)) this.line++;
    return end;
  }

  /** The newline that ends a directive: lines joined by `\`, comments and strings may hold others. */
  directiveEnd(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let i = from;
    while (i < end) {
      const character = bytes[i]!;
      if (character === newline) return i;
      if (character === backslash) {
        if (bytes[i + 1] === newline) {
          this.line++;
          i++;
        } else if (bytes[i + 1] === carriageReturn && bytes[i + 2] === newline) {
          this.line++;
          i += 2;
        }
      } else if (character === slash) {
        const after = this.comment(i);
        if (after !== undefined) {
          i = after;
          continue;
        }
      } else if (character === quote) {
        let close = i + 1;
        while (close < end && bytes[close] !== quote && bytes[close] !== newline) {
          if (bytes[close] !== backslash) close++;
          else if (bytes[close + 1] === newline || bytes[close + 1] === carriageReturn)
            break; // the line goes on
          else close += 2;
        }
        if (bytes[close] === quote) i = close;
      }
      i++;
    }
    return end;
  }

  /** The newline at the end of a dead line, past the comments it opens. */
  deadLine(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    let i = from;
    while (i < end && bytes[i] !== newline) {
      if (bytes[i] === slash && bytes[i + 1] === star) i = this.comment(i)!;
      else if (bytes[i] === slash && bytes[i + 1] === slash) {
        const close = bytes.indexOf(newline, i);
        return close < 0 ? end : close;
      } else i++;
    }
    return i;
  }
}
