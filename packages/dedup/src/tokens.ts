import { isQuote, LiteralEnds } from './literals.js';

/** Where the tokens of one text lie: token `i` is `bytes[starts[i]..ends[i])`. Reused from text to text. */
export interface TokenSpans {
  count: number;
  starts: Uint32Array;
  ends: Uint32Array;
}

export function createTokenSpans(): TokenSpans {
  return { count: 0, starts: new Uint32Array(4096), ends: new Uint32Array(4096) };
}

const space = 1;
/** Bytes that are a token by themselves whatever follows. */
const single = 2;
const word = 3;
const digit = 4;
/** Class of each byte; what may open a longer operator, literal or comment is 0. Bytes above ASCII are letters of identifiers. */
const classes = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte);
  if (byte <= 0x20) classes[byte] = space;
  else if (/[0-9]/.test(character)) classes[byte] = digit;
  else if (/[A-Za-z_$]/.test(character) || byte >= 0x80) classes[byte] = word;
  else if ('(){}[];,?~@`\x7f'.includes(character)) classes[byte] = single;
}

const blank = 0x20;
const apostrophe = 0x27;
const hash = 0x23;
const star = 0x2a;
const plus = 0x2b;
const minus = 0x2d;
const dot = 0x2e;
const slash = 0x2f;
const colon = 0x3a;
const less = 0x3c;
const equals = 0x3d;
const greater = 0x3e;
const backslash = 0x5c;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits the text of a C-family language (C, C++, Java, JavaScript) into tokens, leaving out white space, comments and
 * line continuations. Total: text in no such language still gives tokens. A quote without its partner on the same line
 * is a token of its own, as are the quotes of its kind that follow on that line, and a comment without its end runs to the end of the text.
 */
export function scanTokens(bytes: Uint8Array, start: number, end: number, spans: TokenSpans): void {
  const text = bytes.subarray(0, end); // so that no search runs on into what the buffer held before
  const literals = new LiteralEnds(text);
  let { starts, ends } = spans;
  let count = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    const kind = classes[byte]!;
    if (kind === space) {
      at++;
      continue;
    }
    let next = at + 1;
    if (kind === word) {
      while (next < end && classes[bytes[next]!]! >= word) next++;
      if (next - at <= 3 && next < end && isQuote(bytes[next])) next = literals.afterPrefixed(at, next) ?? next;
    } else if (kind === digit || (byte === dot && next < end && classes[bytes[next]!] === digit)) {
      next = afterNumber(text, at);
    } else if (kind !== single) {
      const following = next < end ? bytes[next]! : 0;
      if (byte === slash && (following === slash || following === star)) {
        at = following === slash ? afterLine(text, at) : afterBlock(text, at + 2);
        continue;
      }
      if (byte === backslash && (following === newline || following === carriageReturn)) {
        at += 2;
        continue;
      }
      next = isQuote(byte) ? (literals.after(at) ?? next) : at + operatorLength(text, at);
    }
    if (count === starts.length) {
      widen(spans);
      ({ starts, ends } = spans);
    }
    starts[count] = at;
    ends[count] = next;
    count++;
    at = next;
  }
  spans.count = count;
}

function widen(spans: TokenSpans): void {
  const starts = new Uint32Array(spans.starts.length * 2);
  const ends = new Uint32Array(spans.ends.length * 2);
  starts.set(spans.starts);
  ends.set(spans.ends);
  spans.starts = starts;
  spans.ends = ends;
}

/** A preprocessing number: digits, letters, dots, digit separators and signed exponents. */
function afterNumber(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const byte = text[at]!;
    if (classes[byte]! >= word || byte === dot) at++;
    else if ((byte === plus || byte === minus) && isExponent(text, start, at)) at++;
    else if (byte === apostrophe && at + 1 < text.length && classes[text[at + 1]!]! >= word) at += 2;
    else break;
  }
  return at;
}

/** Whether the letter before a sign opens an exponent: `e` in a decimal number, `p` in a hexadecimal one. */
function isExponent(text: Uint8Array, start: number, at: number): boolean {
  const letter = text[at - 1]! | 0x20;
  const hexadecimal = (text[start + 1]! | 0x20) === 0x78;
  return letter === (hexadecimal ? 0x70 : 0x65);
}

function afterLine(text: Uint8Array, start: number): number {
  let at = text.indexOf(newline, start);
  while (at > 0 && (text[at - 1] === backslash || (text[at - 1] === carriageReturn && text[at - 2] === backslash))) {
    at = text.indexOf(newline, at + 1);
  }
  return at < 0 ? text.length : at;
}

function afterBlock(text: Uint8Array, start: number): number {
  for (let at = text.indexOf(star, start); at >= 0 && at + 1 < text.length; at = text.indexOf(star, at + 1)) {
    if (text[at + 1] === slash) return at + 2;
  }
  return text.length;
}

/** The longest operator that starts here, as C and C++ read it. */
function operatorLength(text: Uint8Array, at: number): number {
  const first = text[at]!;
  const second = at + 1 < text.length ? text[at + 1]! : 0;
  const third = at + 2 < text.length ? text[at + 2]! : 0;
  switch (first) {
    case less:
      if (second === less) return third === equals ? 3 : 2;
      if (second === equals) return third === greater ? 3 : 2;
      return 1;
    case greater:
      if (second === greater) return third === equals ? 3 : 2;
      return second === equals ? 2 : 1;
    case minus:
      if (second === greater) return third === star ? 3 : 2;
      return second === minus || second === equals ? 2 : 1;
    case dot:
      return second === dot && third === dot ? 3 : 1;
    case colon:
    case hash:
      return second === first ? 2 : 1;
    case plus:
    case 0x26: // &
    case 0x7c: // |
      return second === first || second === equals ? 2 : 1;
    case equals:
    case 0x21: // !
    case star:
    case slash:
    case 0x25: // %
    case 0x5e: // ^
      return second === equals ? 2 : 1;
    default:
      return 1;
  }
}

/**
 * Rewrites the text at `start..end` as its tokens, one space between each two, and gives its new end. Uses the bytes
 * behind `end`, up to twice the text's length, as scratch.
 */
export function joinTokens(bytes: Uint8Array, start: number, end: number, spans: TokenSpans): number {
  scanTokens(bytes, start, end, spans);
  const { count, starts, ends } = spans;
  let at = end;
  let token = 0;
  while (token < count) {
    // Tokens that stand one space apart already are moved in one piece.
    let last = token;
    while (last + 1 < count && starts[last + 1] === ends[last]! + 1 && bytes[ends[last]!] === blank) last++;
    const from = starts[token]!;
    const to = ends[last]!;
    if (token > 0) bytes[at++] = blank;
    if (to - from > 32) bytes.copyWithin(at, from, to);
    else for (let byte = from; byte < to; byte++) bytes[at + byte - from] = bytes[byte]!;
    at += to - from;
    token = last + 1;
  }
  bytes.copyWithin(start, end, at);
  return start + at - end;
}
