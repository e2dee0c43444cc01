/** A piece of C or C++ source. The pieces of a text put together are the text. */
export interface Lexeme {
  kind: 'space' | 'comment' | 'literal' | 'identifier' | 'number' | 'other';
  text: string;
}

const rawString = /(?:u8|[uUL])?R"([^()\\\s]{0,16})\(/y;
const spaces = /\s+/y;
const lineComment = /\/\/(?:\\\r?\n|[^\n])*/y;
const literal = /(?:u8|[uUL])?(?:"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?)/y;
const number = /\.?\p{N}(?:[eEpP][+-]|'?[\p{L}\p{N}_.])*/uy;
const identifier = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
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
    if (text.startsWith('//', position)) return { kind: 'comment', text: take(lineComment)! };
    const raw = take(rawString);
    if (raw !== undefined) {
      const close = `)${raw.slice(raw.indexOf('"') + 1, -1)}"`;
      const end = text.indexOf(close, position + raw.length);
      return { kind: 'literal', text: text.slice(position, end < 0 ? undefined : end + close.length) };
    }
    const quoted = take(literal);
    if (quoted !== undefined) return { kind: 'literal', text: quoted };
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
