import { markEdits } from './myers.js';
import type { TextLines } from './text-lines.js';

/** For each item, whether an edit script from `a` to `b` deletes or adds it: 1 or 0. */
export interface EditFlags {
  deleted: number[];
  added: number[];
}

/**
 * The edit script between two texts by their lines. Hashing every character would take most of the time, so lines are first
 * told apart by a few. That can only find more counterparts than there are: where those it pairs are equal indeed, no other
 * script is shorter, and where not, the lines are compared whole.
 */
export function lineFlags(a: TextLines, b: TextLines): EditFlags {
  const start = a.commonStart(b);
  const end = a.commonEnd(b, Math.min(a.length, b.length) - start);
  const [aMiddle, bMiddle] = [a.samples(start, a.length - end), b.samples(start, b.length - end)];
  const flags = editFlags(aMiddle, bMiddle, { start, end }, () => [
    a.samples(0, start),
    a.samples(a.length - end, a.length),
  ]);
  return pairsAreEqual(a, b, flags) ? flags : editFlags(a.list(), b.list());
}

function pairsAreEqual(a: TextLines, b: TextLines, { deleted, added }: EditFlags): boolean {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    while (deleted[i]) i++;
    while (added[j]) j++;
    const [aStart, bStart] = [i, j];
    while (i < a.length && j < b.length && !deleted[i] && !added[j]) {
      i++;
      j++;
    }
    if (a.join(aStart, i) !== b.join(bStart, j)) return false;
  }
  return true;
}

/**
 * The edit script between two lists that come after `start` equal items and before `end` more. Items without a counterpart
 * are edits in any script and are set aside first, which leaves Myers' search little to do where much was rewritten. As in
 * git, an equal item `around` is a counterpart too: of several shortest scripts the search then finds git's.
 */
export function editFlags<T>(
  a: readonly T[],
  b: readonly T[],
  { start, end } = { start: 0, end: 0 },
  around: () => readonly (readonly T[])[] = () => [],
): EditFlags {
  let first = 0;
  let aEnd = a.length;
  let bEnd = b.length;
  while (first < aEnd && first < bEnd && a[first] === b[first]) first++;
  while (aEnd > first && bEnd > first && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  const numbers = new Map<T, number>();
  const sides: number[] = []; // of each number: 1 for `a`, 2 for `b`, 3 for both
  const numbersOf = (items: readonly T[], side: number): number[] =>
    items.map((item) => {
      const number = numbers.get(item) ?? sides.length;
      if (number === sides.length) numbers.set(item, number);
      sides[number] = (sides[number] ?? 0) | side;
      return number;
    });
  const aNumbers = numbersOf(a.slice(first, aEnd), 1);
  const bNumbers = numbersOf(b.slice(first, bEnd), 2);
  const equal = sides.some((side) => side !== 3) ? [a.slice(0, first), a.slice(aEnd), ...around()] : [];
  for (const items of equal) {
    for (const item of items) {
      const number = numbers.get(item);
      if (number !== undefined) sides[number] = 3;
    }
  }
  const deleted = new Array<number>(start + a.length + end).fill(0);
  const added = new Array<number>(start + b.length + end).fill(0);
  const left = sharedItems(aNumbers, sides, deleted, start + first);
  const right = sharedItems(bNumbers, sides, added, start + first);
  markEdits(
    left.numbers,
    right.numbers,
    (i) => {
      deleted[left.places[i]!] = 1;
    },
    (j) => {
      added[right.places[j]!] = 1;
    },
  );
  return { deleted, added };
}

/** The items of one side that the other has too, with the places of their flags; the flags of those that it has not are set. */
function sharedItems(
  items: readonly number[],
  sides: readonly number[],
  flags: number[],
  offset: number,
): { numbers: number[]; places: number[] } {
  const numbers: number[] = [];
  const places: number[] = [];
  for (const [i, item] of items.entries()) {
    if (sides[item] === 3) {
      numbers.push(item);
      places.push(offset + i);
    } else {
      flags[offset + i] = 1;
    }
  }
  return { numbers, places };
}
