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
    markRewritten(a, b, start, aEnd, bEnd, deleted, added);
  }
  return { deleted, added };
}

function markRewritten(
  a: readonly string[],
  b: readonly string[],
  start: number,
  aEnd: number,
  bEnd: number,
  deleted: Uint8Array,
  added: Uint8Array,
): void {
  const numbers = new Map<string, number>();
  const bNumbers = new Int32Array(bEnd - start);
  for (let j = start; j < bEnd; j++) {
    let number = numbers.get(b[j]!);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(b[j]!, number);
    }
    bNumbers[j - start] = number;
  }
  const inA = new Uint8Array(numbers.size);
  const left = new Shared(aEnd - start);
  for (let i = start; i < aEnd; i++) {
    const number = numbers.get(a[i]!);
    if (number === undefined) {
      deleted[i] = 1;
    } else {
      inA[number] = 1;
      left.push(number, i);
    }
  }
  const right = new Shared(bEnd - start);
  for (let j = start; j < bEnd; j++) {
    const number = bNumbers[j - start]!;
    if (inA[number]) right.push(number, j);
    else added[j] = 1;
  }
  markEdits(
    left.items(),
    right.items(),
    (i) => {
      deleted[left.places[i]!] = 1;
    },
    (j) => {
      added[right.places[j]!] = 1;
    },
  );
}

/** The items of one side that have a counterpart, as numbers, with their places. */
class Shared {
  readonly places: Int32Array;
  readonly #numbers: Int32Array;
  #count = 0;

  constructor(capacity: number) {
    this.places = new Int32Array(capacity);
    this.#numbers = new Int32Array(capacity);
  }

  push(number: number, place: number): void {
    this.#numbers[this.#count] = number;
    this.places[this.#count++] = place;
  }

  items(): Int32Array {
    return this.#numbers.subarray(0, this.#count);
  }
}
