/** A token of C with its place in the text. */
export interface CToken {
  text: string;
  /** UTF-16 offsets, end excluded. */
  start: number;
  end: number;
  /** 1-based line of its first character. */
  line: number;
}

const lineBreak = /\r\n|\n|\r/g;

/** White space, escaped line breaks and comments; an unclosed comment runs to the end. */
const trivia = String.raw`\s+|\\\r?\n|\/\/[^\n\\]*(?:\\(?:\r\n|[^])[^\n\\]*)*|\/\*[^]*?(?:\*\/|$)`;
const prefix = '(?:u8|[uUL])?';
const tokenPatterns = [
  String.raw`${prefix}R"(?<fence>[^\s()\\]{0,16})\([^]*?(?:\)\k<fence>"|$)`,
  // An unclosed literal ends with its line.
  String.raw`${prefix}"[^"\\\r\n]*(?:\\(?:\r\n|[^])[^"\\\r\n]*)*"?`,
  String.raw`${prefix}'[^'\\\r\n]*(?:\\(?:\r\n|[^])[^'\\\r\n]*)*'?`,
  String.raw`[\p{ID_Start}_$][\p{ID_Continue}$]*`,
  String.raw`\.?\d(?:[eEpP][+-]|'?[\p{ID_Continue}]|\.)*`,
  String.raw`%:%:|\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|[<>=!*/%+&^|-]=|&&|\|\||##|<:|:>|<%|%>|%:`,
  '[^]',
];
const next = new RegExp(`(?<trivia>${trivia})|(?<token>${tokenPatterns.join('|')})`, 'uy');

/**
 * The tokens of C source without its comments, as clang's lexer splits them before preprocessing: `#` and the words of
 * a directive are tokens of their own, every character that starts nothing known is one too. Never throws.
 */
export function tokenizeC(text: string): CToken[] {
  const tokens: CToken[] = [];
  let line = 1;
  next.lastIndex = 0;
  for (let match = next.exec(text); match; match = next.exec(text)) {
    const start = match.index;
    const end = next.lastIndex;
    if (match.groups!.token !== undefined) tokens.push({ text: match[0], start, end, line });
    line += match[0].match(lineBreak)?.length ?? 0;
  }
  return tokens;
}
