import { markEdits } from './myers.js';

/** For each item, whether an edit script from `a` to `b` deletes or adds it: 1 or 0. */
export interface EditFlags {
  deleted: Uint8Array;
  added: Uint8Array;
}

/**
 * The edit script between two lists of texts. Items without a counterpart are edits in any script and are set aside
 * first, which leaves Myers' search little to do where much was rewritten.
 */
export function editFlags(a: readonly string[], b: readonly string[]): EditFlags {
  const deleted = new Uint8Array(a.length);
  const added = new Uint8Array(b.length);
  let start = 0;
  let aEnd = a.length;
  let bEnd = b.length;
  while (start < aEnd && start < bEnd && a[start] === b[start]) start++;
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  if (start === aEnd) {
    added.fill(1, start, bEnd);
  } else if (start === bEnd) {
    deleted.fill(1, start, aEnd);
  } else {
    const numbers = new Map<string, number>();
    const inB = new Set<string>();
    for (let j = start; j < bEnd; j++) inB.add(b[j]!);
    const left = shared(a, start, aEnd, (item) => inB.has(item), deleted, numbers);
    const right = shared(b, start, bEnd, (item) => numbers.has(item), added, numbers);
    markEdits(
      left.items,
      right.items,
      (i) => {
        deleted[left.places[i]!] = 1;
      },
      (j) => {
        added[right.places[j]!] = 1;
      },
    );
  }
  return { deleted, added };
}

/** The items that have a counterpart, as numbers, with their places; the others are flagged. */
function shared(
  items: readonly string[],
  start: number,
  end: number,
  hasCounterpart: (item: string) => boolean,
  flags: Uint8Array,
  numbers: Map<string, number>,
): { items: Int32Array; places: Int32Array } {
  const found = new Int32Array(end - start);
  const places = new Int32Array(end - start);
  let count = 0;
  for (let i = start; i < end; i++) {
    const item = items[i]!;
    if (!hasCounterpart(item)) {
      flags[i] = 1;
      continue;
    }
    let number = numbers.get(item);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(item, number);
    }
    found[count] = number;
    places[count++] = i;
  }
  return { items: found.subarray(0, count), places: places.subarray(0, count) };
}
