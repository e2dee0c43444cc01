import { matchingDiff } from '../format/matching-diff.js';
import { applyEdits, shortestEdits, type TokenEdit } from '../format/token-edits.js';
import { joinTokens, type Layout, layOut, separator, splitLines } from './lay-out.js';
import { slideEdits } from './slide-edits.js';
import { type CToken, tokenizeC } from './tokenize-c.js';

/** Text to put in the place of `[start, end)`. */
interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/**
 * Carries token edits over to the text they were made from: what is kept keeps its own spacing and comments; new
 * statements get lines of their own, indented like their neighbours. The tokens of the result are the tokens after the
 * edits, except where those cannot stand in a text, such as an unclosed literal with more to follow.
 *
 * @param edits in order, on `tokens`, their own tokens as C writes them
 * @param tokens of the text
 */
export function patchText(
  text: string,
  edits: readonly TokenEdit[],
  tokens: readonly CToken[] = tokenizeC(text),
): string {
  const texts = tokens.map(textOf);
  const after = applyEdits(texts, edits);
  // A hunk may hold kept tokens, and two hunks may move one apart: the least change to the text is wanted here.
  const shortest = leastEdits(texts, edits, after) ?? edits.flatMap((edit) => refine(texts, edit));
  const refined = slideEdits(tokens, shortest);
  const wanted = after.join('\n');
  const pretty = splice(text, planEdits(text, tokens, refined));
  if (tokenizeC(pretty).map(textOf).join('\n') === wanted) return pretty;
  return splice(
    text,
    refined.map((edit) => planPlainly(text, tokens, edit)),
  );
}

/** Tokens changed; a shortest edit script of more may take long. */
const shortestUpTo = 500;

const textOf = ({ text }: CToken): string => text;

/** A shortest edit script from the first edit to the last, if it is short. */
function leastEdits(
  texts: readonly string[],
  edits: readonly TokenEdit[],
  after: readonly string[],
): TokenEdit[] | undefined {
  const from = edits[0]?.start ?? 0;
  const to = edits.at(-1)?.end ?? from;
  const changed = after.slice(from, after.length - (texts.length - to));
  return shortestEdits(texts.slice(from, to), changed, shortestUpTo)?.map(({ start, end, tokens }) => {
    return { start: from + start, end: from + end, tokens };
  });
}

/** The parts of an edit that really differ. */
function refine(texts: readonly string[], edit: TokenEdit): TokenEdit[] {
  return matchingDiff(texts.slice(edit.start, edit.end), edit.tokens).map((part) => {
    return { start: edit.start + part.start, end: edit.start + part.end, tokens: part.tokens };
  });
}

function splice(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let position = 0;
  for (const edit of edits) {
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + text.slice(position);
}

function planEdits(text: string, tokens: readonly CToken[], edits: readonly TokenEdit[]): TextEdit[] {
  const unit = /\n\t/.test(text) ? '\t' : (/\n( {2,8})\S/.exec(text)?.[1] ?? '    ');
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  return edits.map((edit) => {
    const { start, end } = edit;
    if (edit.tokens.length === 0) return planDeletion(text, tokens, edit);
    if (end === start) {
      const at = start > 0 && start < tokens.length ? ownLine(text, tokens[start - 1]!, tokens[start]!) : undefined;
      if (at !== undefined) {
        const indent = indentFor(text, tokens, start, unit);
        return { start: at, end: at, text: layOut(edit.tokens, { indent, unit, lineBreak }) + lineBreak };
      }
    }
    return planInline(text, tokens, edit, { indent: '', unit, lineBreak });
  });
}

/** Whole lines go with their line breaks; otherwise the blanks before go, unless the neighbours would run together. */
function planDeletion(text: string, tokens: readonly CToken[], { start: first, end: after }: TokenEdit): TextEdit {
  let start = tokens[first]!.start;
  let end = tokens[after - 1]!.end;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const ownLines = lineEnd >= 0 && isBlank(text.slice(lineStart, start)) && isBlank(text.slice(end, lineEnd));
  if (ownLines) return { start: lineStart, end: lineEnd + 1, text: '' };
  const previous = tokens[first - 1];
  const next = tokens[after];
  if (previous) while (start > previous.end && isBlank(text[start - 1]!)) start--;
  else if (next) while (end < next.start && isBlank(text[end]!)) end++;
  const touching = previous && next && start === previous.end && end === next.start;
  return { start, end, text: touching ? separator(tokens[first - 2]?.text, previous.text, next.text) : '' };
}

/** New tokens within a line, blanks added where they touch what is kept. */
function planInline(text: string, tokens: readonly CToken[], edit: TokenEdit, layout: Layout): TextEdit {
  const { start: first, end: after, tokens: added } = edit;
  const previous = tokens[first - 1];
  const next = tokens[after];
  let start: number;
  let end: number;
  if (after > first) [start, end] = [tokens[first]!.start, tokens[after - 1]!.end];
  else start = end = next?.start ?? previous?.end ?? text.length;
  const lines = splitLines(added);
  const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1))![0];
  let inner = lines.length > 1 ? layOut(added, { ...layout, indent }).trimStart() : joinTokens(added, previous?.text);
  if (lines.at(-1)?.[0] === '#') inner += layout.lineBreak;
  if (lines[0]?.[0] === '#' && !isBlank(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))) {
    inner = layout.lineBreak + inner;
  }
  const last = added.at(-1)!;
  if (previous && start === previous.end) inner = separator(tokens[first - 2]?.text, previous.text, added[0]!) + inner;
  if (next && end === next.start) inner += separator(added.at(-2) ?? previous?.text, last, next.text);
  return { start, end, text: inner };
}

/** Blanks on both sides of every new token, directives on lines of their own. */
function planPlainly(text: string, tokens: readonly CToken[], { start, end, tokens: added }: TokenEdit): TextEdit {
  const lines = splitLines(added).map((line) => line.join(' '));
  const inner = lines.length > 0 ? `\n${lines.join('\n')}\n` : ' ';
  if (end > start) return { start: tokens[start]!.start, end: tokens[end - 1]!.end, text: inner };
  const at = tokens[start]?.start ?? tokens[start - 1]?.end ?? text.length;
  return { start: at, end: at, text: inner };
}

/** Where a line can be put in between two tokens on different lines: after the line (or comment) of the first. */
function ownLine(text: string, previous: CToken, next: CToken): number | undefined {
  const pieces = /\/\/[^\n\\]*(?:\\[\s\S][^\n\\]*)*|\/\*[\s\S]*?\*\/|\\\r?\n|\n/g;
  pieces.lastIndex = previous.end;
  for (let piece = pieces.exec(text); piece && pieces.lastIndex <= next.start; piece = pieces.exec(text)) {
    if (piece[0] === '\n') return pieces.lastIndex;
  }
  return undefined;
}

function indentFor(text: string, tokens: readonly CToken[], position: number, unit: string): string {
  const previous = tokens[position - 1]!;
  const next = tokens[position]!;
  const indentOf = (token: CToken): string =>
    /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', token.start - 1) + 1))![0];
  const closes = next.text === '}' || next.text === 'case' || next.text === 'default' || next.text === '#';
  if (!closes) return indentOf(next);
  return indentOf(previous) + (previous.text === '{' ? unit : '');
}

function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}
