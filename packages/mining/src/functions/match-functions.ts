import type { Hunk } from '@redef/core';
import type { FunctionSpan } from './scanner-state.js';

/** The functions that own a line, by their place in the list: none, one, or several that share it. */
export function functionsAt(
  functions: readonly FunctionSpan[],
  line: number,
): { first: number; last: number } | undefined {
  let low = 0;
  let high = functions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = functions[middle]!;
    if (span.endLine < line) low = middle + 1;
    else if (span.startLine > line) high = middle - 1;
    else {
      let [first, last] = [middle, middle];
      while (first > 0 && functions[first - 1]!.endLine >= line) first--;
      while (last + 1 < functions.length && functions[last + 1]!.startLine <= line) last++;
      return { first, last };
    }
  }
  return undefined;
}

/**
 * The function on the other side of a diff that a function became, or was: the one of its name; of several with that
 * name the one that shares most unchanged lines; with none, one of another name that shares at least half of the lines
 * of the shorter.
 */
export function counterpart(
  own: readonly FunctionSpan[],
  index: number,
  other: readonly FunctionSpan[],
  hunks: readonly Hunk[],
  direction: 'forward' | 'backward',
): FunctionSpan | undefined {
  const span = own[index]!;
  let twins = 0;
  for (const candidate of own) if (candidate.name === span.name) twins++;
  const named = other.filter((candidate) => candidate.name === span.name);
  if (named.length === 1 && twins === 1) return named[0];

  const shared = sharedLines(span, other, hunks, direction);
  let best: FunctionSpan | undefined;
  let most = 0;
  for (const [candidate, lines] of shared) {
    if (named.length > 0 ? candidate.name !== span.name : !isRename(span, candidate, lines)) continue;
    if (lines > most) [best, most] = [candidate, lines];
  }
  return best;
}

function isRename(a: FunctionSpan, b: FunctionSpan, shared: number): boolean {
  return shared * 2 >= Math.min(a.endLine - a.startLine, b.endLine - b.startLine) + 1;
}

/** How many unchanged lines of a function lie in each function of the other side. */
function sharedLines(
  span: FunctionSpan,
  other: readonly FunctionSpan[],
  hunks: readonly Hunk[],
  direction: 'forward' | 'backward',
): Map<FunctionSpan, number> {
  const shared = new Map<FunctionSpan, number>();
  let shift = 0;
  let line = span.startLine;
  const unchanged = (until: number): void => {
    for (; line < until; line++) {
      const found = functionsAt(other, line + shift);
      if (!found) continue;
      const owner = other[found.first]!;
      shared.set(owner, (shared.get(owner) ?? 0) + 1);
    }
  };
  for (const hunk of hunks) {
    const [start, count, otherCount] =
      direction === 'forward'
        ? [hunk.old_start, hunk.old_count, hunk.new_count]
        : [hunk.new_start, hunk.new_count, hunk.old_count];
    const from = count === 0 ? start + 1 : start;
    if (from > span.endLine) break;
    unchanged(Math.min(from, span.endLine + 1));
    line = Math.max(line, from + count);
    shift += otherCount - count;
  }
  unchanged(span.endLine + 1);
  return shared;
}
