import type { TokenEdit } from '../format/token-edits.js';
import type { CToken } from './tokenize-c.js';

const statementEnds = new Set([';', '{', '}']);

/**
 * An insertion or deletion of `; b` before `;` is also one of `b ;` after it. Moves each, among the places that give the
 * same result, to one where whole statements stand between whole statements, or else to one within a line.
 */
export function slideEdits(before: readonly CToken[], edits: readonly TokenEdit[]): TokenEdit[] {
  const texts = before.map(({ text }) => text);
  const moved: TokenEdit[] = [];
  edits.forEach((edit, index) => {
    const from = moved.at(-1)?.end ?? 0;
    const to = edits[index + 1]?.start ?? before.length;
    moved.push(slide(before, texts, edit, from, to));
  });
  return moved;
}

function slide(
  before: readonly CToken[],
  texts: readonly string[],
  edit: TokenEdit,
  from: number,
  to: number,
): TokenEdit {
  if (edit.tokens.length > 0 && edit.end > edit.start) return edit;
  let best = edit;
  for (const move of [moveRight, moveLeft]) {
    let here: TokenEdit | undefined = edit;
    // After as many moves as it has tokens it repeats itself.
    for (let moves = 0; here && moves <= edit.tokens.length + edit.end - edit.start; moves++) {
      if (fitness(before, here) > fitness(before, best)) best = here;
      here = move(texts, here, from, to);
    }
  }
  return best;
}

function fitness(before: readonly CToken[], { start, end, tokens }: TokenEdit): number {
  const opens = start === 0 || statementEnds.has(before[start - 1]!.text);
  const closes = statementEnds.has(tokens.at(-1) ?? before[end - 1]!.text);
  if (opens && closes) return 4;
  const [one, other] = end > start ? [before[start], before[end - 1]] : [before[start - 1], before[start]];
  return Number(opens) + Number(closes) + (one?.line === other?.line ? 2 : 0);
}

function moveRight(
  before: readonly string[],
  { start, end, tokens }: TokenEdit,
  _from: number,
  to: number,
): TokenEdit | undefined {
  const first = tokens[0] ?? before[start];
  if (end >= to || before[end] !== first) return undefined;
  return { start: start + 1, end: end + 1, tokens: tokens.length > 0 ? [...tokens.slice(1), first!] : tokens };
}

function moveLeft(before: readonly string[], { start, end, tokens }: TokenEdit, from: number): TokenEdit | undefined {
  const last = tokens.at(-1) ?? before[end - 1];
  if (start <= from || before[start - 1] !== last) return undefined;
  return { start: start - 1, end: end - 1, tokens: tokens.length > 0 ? [last!, ...tokens.slice(0, -1)] : tokens };
}
