import { diffArrays } from 'diff';

/** Replaces `before[start, end)` by `tokens`; an insertion has `start === end`, a deletion no tokens. */
export interface TokenEdit {
  start: number;
  end: number;
  tokens: readonly string[];
}

/** The edits from one token sequence to another, in order, none touching the next. */
export type TokenDiff = (before: readonly string[], after: readonly string[]) => TokenEdit[];

/** A shortest edit script (Myers, 1986). */
export const myersDiff: TokenDiff = (before, after) => shortestEdits(before, after)!;

/** {@link myersDiff} that gives up, with `undefined`, on more than `most` tokens deleted and inserted. */
export function shortestEdits(
  before: readonly string[],
  after: readonly string[],
  most = Infinity,
): TokenEdit[] | undefined {
  const parts = diffArrays([...before], [...after], { maxEditLength: most });
  if (!parts) return undefined;
  const edits: TokenEdit[] = [];
  let start = 0;
  let open: { start: number; end: number; tokens: string[] } | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      open = undefined;
      start += part.value.length;
      continue;
    }
    if (!open) {
      open = { start, end: start, tokens: [] };
      edits.push(open);
    }
    if (part.removed) {
      start += part.value.length;
      open.end = start;
    } else {
      for (const token of part.value) open.tokens.push(token);
    }
  }
  return edits;
}

/** Joins edits with fewer than `distance` kept tokens between them; the kept tokens become part of the joint edit. */
export function mergeEdits(before: readonly string[], edits: readonly TokenEdit[], distance: number): TokenEdit[] {
  const merged: TokenEdit[] = [];
  for (const edit of edits) {
    const last = merged.at(-1);
    if (last && edit.start - last.end < distance) {
      merged[merged.length - 1] = {
        start: last.start,
        end: edit.end,
        tokens: [...last.tokens, ...before.slice(last.end, edit.start), ...edit.tokens],
      };
    } else {
      merged.push(edit);
    }
  }
  return merged;
}

/** The sequence after the edits. They must be in order and inside `before`. */
export function applyEdits(before: readonly string[], edits: readonly TokenEdit[]): string[] {
  const after: string[] = [];
  let position = 0;
  for (const edit of edits) {
    for (; position < edit.start; position++) after.push(before[position]!);
    for (const token of edit.tokens) after.push(token);
    position = edit.end;
  }
  for (; position < before.length; position++) after.push(before[position]!);
  return after;
}
