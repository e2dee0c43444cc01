/** A piece of C or C++ source. The pieces of a text put together are the text. */
export interface Lexeme {
  kind: 'space' | 'comment' | 'literal' | 'identifier' | 'number' | 'other';
  text: string;
}

const rawString = /(?:u8|[uUL])?R"([^()\\\s]{0,16})\(/y;
const spaces = /\s+/y;
const literalStart = /(?:u8|[uUL])?["']/y;
const number = /\.?\p{N}[\p{L}\p{N}_.]*(?:(?:(?<=[^'][eEpP])[+-]|'(?=[\p{L}\p{N}_.]))[\p{L}\p{N}_.]*)*/uy;
const identifier = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy;
const other = /->\*|->|::|[\s\S]/uy;

/** Splits C or C++ source without a grammar. Unclosed comments and raw strings run to the end, other literals to the end of their line. */
export function lexemesOf(text: string): Lexeme[] {
  const lexemes: Lexeme[] = [];
  let position = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    return pattern.exec(text)?.[0];
  };
  const next = (): Lexeme => {
    const space = take(spaces);
    if (space !== undefined) return { kind: 'space', text: space };
    if (text.startsWith('/*', position)) {
      const end = text.indexOf('*/', position + 2);
      return { kind: 'comment', text: text.slice(position, end < 0 ? undefined : end + 2) };
    }
    if (text.startsWith('//', position)) {
      return { kind: 'comment', text: text.slice(position, lineCommentEnd(text, position)) };
    }
    const raw = take(rawString);
    if (raw !== undefined) {
      const close = `)${raw.slice(raw.indexOf('"') + 1, -1)}"`;
      const end = text.indexOf(close, position + raw.length);
      return { kind: 'literal', text: text.slice(position, end < 0 ? undefined : end + close.length) };
    }
    const opening = take(literalStart);
    if (opening !== undefined) {
      return { kind: 'literal', text: text.slice(position, literalEnd(text, position + opening.length)) };
    }
    const digits = take(number);
    if (digits !== undefined) return { kind: 'number', text: digits };
    const name = take(identifier);
    if (name !== undefined) return { kind: 'identifier', text: name };
    return { kind: 'other', text: take(other)! };
  };
  while (position < text.length) {
    const lexeme = next();
    lexemes.push(lexeme);
    position += lexeme.text.length;
  }
  return lexemes;
}

/** Where the literal ends whose first character is at `start`, behind its quote: past the closing one, or before the line break. */
function literalEnd(text: string, start: number): number {
  const quote = text[start - 1];
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i + 1;
    else if (text[i] === '\n') return i;
  }
  return text.length;
}

/** Where the comment ends that starts at `start`: before the first line break without a backslash in front. */
function lineCommentEnd(text: string, start: number): number {
  for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', end + 1)) {
    const last = text[end - 1] === '\r' ? end - 2 : end - 1;
    if (text[last] !== '\\') return end;
  }
  return text.length;
}
