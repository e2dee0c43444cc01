import { markEdits } from './myers.js';
import type { TextLines } from './text-lines.js';

/** For each item, whether an edit script from `a` to `b` deletes or adds it: 1 or 0. */
export interface EditFlags {
  deleted: number[];
  added: number[];
}

/** The edit script between two lists of texts. */
export function editFlags(a: readonly string[], b: readonly string[]): EditFlags {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  return flagsOf(a.map(numberOf), b.map(numberOf));
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
  const flags = flagsOf(aMiddle, bMiddle, { start, end }, () => [
    ...a.samples(0, start),
    ...a.samples(a.length - end, a.length),
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
 * Flags of two lists of numbers that come after `start` equal items and before `end` more. Items without a counterpart are
 * edits in any script and are set aside first, which leaves Myers' search little to do where much was rewritten. As in git,
 * an equal item `around` is a counterpart too: of several shortest scripts the search then finds git's.
 */
function flagsOf(
  a: readonly number[],
  b: readonly number[],
  { start, end } = { start: 0, end: 0 },
  around: () => readonly number[] = () => [],
): EditFlags {
  const deleted = new Array<number>(start + a.length + end).fill(0);
  const added = new Array<number>(start + b.length + end).fill(0);
  let first = 0;
  let aEnd = a.length;
  let bEnd = b.length;
  while (first < aEnd && first < bEnd && a[first] === b[first]) first++;
  while (aEnd > first && bEnd > first && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  const inA = new Set(a.slice(first, aEnd));
  const inB = new Set(b.slice(first, bEnd));
  const alone = new Set([...inA, ...inB].filter((item) => inA.has(item) !== inB.has(item)));
  for (const item of alone.size > 0 ? [...a.slice(0, first), ...a.slice(aEnd), ...around()] : []) {
    if (alone.has(item)) {
      inA.add(item);
      inB.add(item);
    }
  }
  const left = sharedItems(a, first, aEnd, inB, deleted, start);
  const right = sharedItems(b, first, bEnd, inA, added, start);
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
  from: number,
  to: number,
  others: ReadonlySet<number>,
  flags: number[],
  offset: number,
): { numbers: number[]; places: number[] } {
  const numbers: number[] = [];
  const places: number[] = [];
  for (let i = from; i < to; i++) {
    if (others.has(items[i]!)) {
      numbers.push(items[i]!);
      places.push(offset + i);
    } else {
      flags[offset + i] = 1;
    }
  }
  return { numbers, places };
}
