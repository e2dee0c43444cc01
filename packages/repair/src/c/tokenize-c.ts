/** A token of C with its place in the text. */
export interface CToken {
  text: string;
  /** UTF-16 offsets, end excluded. */
  start: number;
  end: number;
  /** 1-based line of its first character. */
  line: number;
}

/** White space, escaped line breaks and comments; an unclosed comment runs to the end. */
const trivia = String.raw`\s+|\\\r?\n|\/\/[^\n\\]*(?:\\(?:\r\n|[^])[^\n\\]*)*|\/\*[^]*?(?:\*\/|$)`;
const prefix = '(?:u8|[uUL])?';
const tokenPatterns = [
  String.raw`${prefix}R"([^\s()\\]{0,16})\([^]*?(?:\)\2"|$)`,
  // An unclosed literal ends with its line.
  String.raw`${prefix}"[^"\\\r\n]*(?:\\(?:\r\n|[^])[^"\\\r\n]*)*"?`,
  String.raw`${prefix}'[^'\\\r\n]*(?:\\(?:\r\n|[^])[^'\\\r\n]*)*'?`,
  String.raw`[\p{ID_Start}_$][\p{ID_Continue}$]*`,
  String.raw`\.?\d(?:[eEpP][+-]|'?[\p{ID_Continue}]|\.)*`,
  String.raw`%:%:|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|[<>=!*/%+&^|-]=|&&|\|\||##|<:|:>|<%|%>|%:`,
  '[^]',
];
const next = new RegExp(`(${trivia})|${tokenPatterns.join('|')}`, 'uy');

/**
 * The tokens of C source without its comments, as clang's lexer splits them before preprocessing: `#` and the words of
 * a directive are tokens of their own, every character that starts nothing known is one too. Never throws.
 */
export function tokenizeC(text: string): CToken[] {
  const tokens: CToken[] = [];
  let line = 1;
  next.lastIndex = 0;
  for (let match = next.exec(text); match; match = next.exec(text)) {
    const [piece, skipped] = match;
    if (skipped === undefined) tokens.push({ text: piece, start: match.index, end: next.lastIndex, line });
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) line++;
  }
  return tokens;
}
