import { tokenizeC } from './tokenize-c.js';

const word = /^[\p{ID_Continue}$]/u;
const calls = /^[\p{ID_Start}_$]/u;
const keywordsBeforeParenthesis = new Set(['if', 'for', 'while', 'switch', 'return', 'case', 'do', 'else', 'goto']);
const afterOpening = new Set(['(', '[', '.', '->', '!', '~']);
const beforeClosing = new Set([';', ',', ')', ']', '.', '->', '[']);
const mayBeUnary = new Set(['*', '&', '-', '+', '++', '--']);
const endsOperand = /^(?:[\p{ID_Continue}$"']|\)$|\]$)/u;

/** What to write between two tokens: a blank where they would run together or where C is usually written with one. */
export function separator(previous: string | undefined, left: string, right: string): '' | ' ' {
  if (wouldJoin(left, right)) return ' ';
  if (afterOpening.has(left) || beforeClosing.has(right)) return '';
  if (right === '(') return calls.test(left) && !keywordsBeforeParenthesis.has(left) ? '' : left === ')' ? '' : ' ';
  if (mayBeUnary.has(left) && !(previous !== undefined && endsOperand.test(previous) && previous !== 'return'))
    return '';
  if ((right === '++' || right === '--') && endsOperand.test(left)) return '';
  return ' ';
}

/** Whether the tokens written without a blank would no longer be these two. */
function wouldJoin(left: string, right: string): boolean {
  if (word.test(left.at(-1)!) && word.test(right)) return true;
  const [first, second, ...more] = tokenizeC(left + right);
  return first?.text !== left || second?.text !== right || more.length > 0;
}

export interface Layout {
  /** Written before each line but the first. */
  indent: string;
  /** One level more. */
  unit: string;
  lineBreak: string;
}

/** Tokens as C is usually written: a line for each statement and directive, blocks indented. */
export function layOut(tokens: readonly string[], { indent, unit, lineBreak }: Layout): string {
  const lines = splitLines(tokens);
  let depth = 0;
  return lines
    .map((line) => {
      if (line[0] === '}') depth = Math.max(0, depth - 1);
      const level = line[0] === '#' ? '' : indent + unit.repeat(depth);
      if (line.at(-1) === '{') depth++;
      return level + joinTokens(line);
    })
    .join(lineBreak);
}

/**
 * Tokens on one line.
 *
 * @param before the token they come after, where that is not the end of a statement
 */
export function joinTokens(tokens: readonly string[], before?: string): string {
  return tokens.reduce((text, token, i) => {
    if (i === 0) return token;
    const left = tokens[i - 1]!;
    const close = (left === '#' && i === 1) || (left === '*' && isPointer(tokens, i - 1, before === undefined));
    const blank = close && !wouldJoin(left, token) ? '' : separator(tokens[i - 2] ?? before, left, token);
    return text + blank + token;
  }, '');
}

const typeWords = new Set(
  'char const double enum float int long short signed struct union unsigned void volatile'.split(' '),
);
const neverTypes = new Set(['return', 'case', 'goto', 'sizeof', 'else']);

/** Whether a `*` stands after a type: one by its words, or words alone from the start of a statement on. */
function isPointer(tokens: readonly string[], star: number, startsStatement: boolean): boolean {
  let type = star - 1;
  while (tokens[type] === '*') type--;
  if (typeWords.has(tokens[type] ?? '') || typeWords.has(tokens[type - 1] ?? '')) return true;
  const words = tokens.slice(0, type + 1);
  return startsStatement && words.length > 0 && words.every((word) => calls.test(word) && !neverTypes.has(word));
}

/** Lines end after `;`, `{` and `}` outside parentheses and round each preprocessor directive. */
export function splitLines(tokens: readonly string[]): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let depth = 0;
  const close = (): void => {
    if (line.length > 0) lines.push(line);
    line = [];
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token === '#') {
      close();
      const end = directiveEnd(tokens, i);
      lines.push(tokens.slice(i, end));
      i = end - 1;
      continue;
    }
    if (token === '}' && line.length > 0 && depth === 0) close();
    line.push(token);
    if (token === '(' || token === '[') depth++;
    else if (token === ')' || token === ']') depth = Math.max(0, depth - 1);
    const next = tokens[i + 1];
    if (token === '{' && depth === 0) close();
    else if (token === '}' && depth === 0 && !['else', 'while', ';', ',', ')'].includes(next ?? '')) close();
    else if (token === ';' && depth === 0) close();
  }
  close();
  return lines;
}

/**
 * Where a directive that starts at `#` ends. Tokens do not show its line break: `#if` goes on while its expression can;
 * one with free text (`#define`, `#error`) runs to the next directive.
 */
function directiveEnd(tokens: readonly string[], start: number): number {
  const next = tokens.indexOf('#', start + 1);
  const limit = next < 0 ? tokens.length : next;
  const name = tokens[start + 1];
  if (name === 'else' || name === 'endif') return Math.min(limit, start + 2);
  if (name === 'ifdef' || name === 'ifndef' || name === 'undef') return Math.min(limit, start + 3);
  if (name !== 'if' && name !== 'elif') return limit;
  let depth = 0;
  for (let i = start + 2; i < limit; i++) {
    const token = tokens[i]!;
    const previous = tokens[i - 1]!;
    const operandAgain = i > start + 2 && previous !== 'defined' && endsOperand.test(previous) && word.test(token);
    if (depth === 0 && (operandAgain || token === ';' || token === '{' || token === '}')) return i;
    if (token === '(') depth++;
    else if (token === ')') depth--;
  }
  return limit;
}
