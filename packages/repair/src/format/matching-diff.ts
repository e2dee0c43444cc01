import type { TokenDiff, TokenEdit } from './token-edits.js';

/** `length` equal tokens at `before` and at `after`. */
interface Match {
  before: number;
  after: number;
  length: number;
}

/** From this length on, tokens of the sequence after the change that make up more than a hundredth of it start no match. */
const popularFrom = 200;

/**
 * The edits between matching blocks as Python's `difflib.SequenceMatcher` finds them with its defaults (Ratcliff and
 * Obershelp: the longest common block first, then the same to its left and right; very frequent tokens start no block).
 * The published VRepair data was made with it, so this gives back its targets more often than a shortest edit script.
 * Not symmetric and not always shortest. Quadratic at worst.
 */
export const matchingDiff: TokenDiff = (before, after) => {
  const edits: TokenEdit[] = [];
  let start = 0;
  let from = 0;
  const end = { before: before.length, after: after.length, length: 0 };
  for (const match of [...matchingBlocks(before, after), end]) {
    if (match.before > start || match.after > from) {
      edits.push({ start, end: match.before, tokens: after.slice(from, match.after) });
    }
    start = match.before + match.length;
    from = match.after + match.length;
  }
  return edits;
};

/** Maximal blocks in order; blocks that touch on both sides are one. */
function matchingBlocks(before: readonly string[], after: readonly string[]): Match[] {
  const { a, b, positions } = indexTokens(before, after);
  const found: Match[] = [];
  const pending: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  const longest = createLongestMatch(a, b, positions);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [aLow, aHigh, bLow, bHigh] = next;
    const match = longest(aLow, aHigh, bLow, bHigh);
    if (match.length === 0) continue;
    found.push(match);
    if (aLow < match.before && bLow < match.after) pending.push([aLow, match.before, bLow, match.after]);
    const aEnd = match.before + match.length;
    const bEnd = match.after + match.length;
    if (aEnd < aHigh && bEnd < bHigh) pending.push([aEnd, aHigh, bEnd, bHigh]);
  }
  found.sort((one, other) => one.before - other.before);
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last && last.before + last.length === match.before && last.after + last.length === match.after) {
      last.length += match.length;
    } else {
      joined.push(match);
    }
  }
  return joined;
}

/** Tokens as numbers, and where in `after` each number may start a block. */
function indexTokens(before: readonly string[], after: readonly string[]) {
  const numbers = new Map<string, number>();
  const numberOf = (token: string): number => {
    const known = numbers.get(token);
    if (known !== undefined) return known;
    numbers.set(token, numbers.size);
    return numbers.size - 1;
  };
  const b = Int32Array.from(after, numberOf);
  const a = Int32Array.from(before, numberOf);
  const positions: number[][] = Array.from({ length: numbers.size }, () => []);
  b.forEach((token, position) => {
    positions[token]!.push(position);
  });
  if (b.length >= popularFrom) {
    const limit = Math.floor(b.length / 100) + 1;
    positions.forEach((list, token) => {
      if (list.length > limit) positions[token] = [];
    });
  }
  return { a, b, positions };
}

/** The longest block within the bounds; of several the one first in `before`, then first in `after`. */
function createLongestMatch(a: Int32Array, b: Int32Array, positions: readonly (readonly number[])[]) {
  // Length of the block that ends at each position of b, for the row of a before and the one at hand.
  let previous = new Int32Array(b.length + 1);
  let current = new Int32Array(b.length + 1);
  return (aLow: number, aHigh: number, bLow: number, bHigh: number): Match => {
    let best: Match = { before: aLow, after: bLow, length: 0 };
    previous.fill(0, bLow, bHigh + 1);
    current.fill(0, bLow, bHigh + 1);
    let written: readonly number[] = [];
    let stale: readonly number[] = [];
    for (let i = aLow; i < aHigh; i++) {
      for (const j of stale) if (j >= bLow && j < bHigh) current[j + 1] = 0;
      const here = positions[a[i]!]!;
      for (const j of here) {
        if (j < bLow) continue;
        if (j >= bHigh) break;
        const length = previous[j]! + 1;
        current[j + 1] = length;
        if (length > best.length) best = { before: i - length + 1, after: j - length + 1, length };
      }
      [previous, current] = [current, previous];
      stale = written;
      written = here;
    }
    let { before, after, length } = best;
    while (before > aLow && after > bLow && a[before - 1] === b[after - 1]) {
      before--;
      after--;
      length++;
    }
    while (before + length < aHigh && after + length < bHigh && a[before + length] === b[after + length]) length++;
    return { before, after, length };
  };
}
