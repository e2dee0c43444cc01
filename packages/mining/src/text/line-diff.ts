import type { Hunk } from '@redef/core';
import { commonEnds } from './common-ends.js';

/** Edits past which the shortest script is not searched for: lines that occur once on each side divide the work then. */
const maxEdits = 400;
const newline = 10;

export interface LineDiff {
  hunks: Hunk[];
  /** Bytes shared at the beginning and, of the rest, at the end. */
  prefix: number;
  suffix: number;
}

/** A byte offset whose 1-based line is known, to count from. */
export interface LineMark {
  offset: number;
  line: number;
}

/**
 * The lines that differ between two files, as the hunks of `git diff -U0` with the Myers algorithm (a shortest edit
 * script, up to 400 edits; past them one that lines unique to both sides anchor; a group of added or removed lines that could stand in several places is moved as far down as the differing stretch goes).
 *
 * @param mark gives a place at or before an offset of `before` from which its lines are counted
 */
export function diffLines(before: Buffer, after: Buffer, mark?: (offset: number) => LineMark): LineDiff {
  const { prefix, suffix } = commonEnds(before, after);
  if (prefix === before.length && prefix === after.length) return { hunks: [], prefix, suffix };

  // the differing middle, widened to whole lines
  const start = prefix === 0 ? 0 : before.lastIndexOf(newline, prefix - 1) + 1;
  let [oldEnd, newEnd] = [before.length - suffix, after.length - suffix];
  const startsLine = (bytes: Buffer, at: number): boolean => at === start || bytes[at - 1] === newline;
  if (!startsLine(before, oldEnd) || !startsLine(after, newEnd)) {
    const next = before.indexOf(newline, oldEnd);
    const shift = (next < 0 ? before.length : next + 1) - oldEnd;
    oldEnd += shift;
    newEnd += shift;
  }

  const known = mark?.(start) ?? { offset: 0, line: 1 };
  const first = known.line + countLines(before, known.offset, start);
  const lines = new LineNumbers();
  const a = lines.number(before, start, oldEnd);
  const b = lines.number(after, start, newEnd);
  const script = editScript(a, b);
  slideDown(a, script.removed);
  slideDown(b, script.added);
  return { hunks: toHunks(script, a.length, b.length, first), prefix, suffix };
}

/** Newlines in a stretch of a file. */
export function countLines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === newline) count++;
  return count;
}

/** Gives equal lines of several files equal numbers, in one pass over their bytes. */
class LineNumbers {
  /** By number: a file with the line, its offset and its length. */
  readonly #files: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #byHash = new Map<number, number>();

  number(bytes: Buffer, from: number, to: number): Int32Array {
    const numbers: number[] = [];
    let start = from;
    let hash = 0;
    for (let i = from; i < to; i++) {
      const character = bytes[i]!;
      hash = (Math.imul(hash, 31) + character) | 0;
      if (character !== newline) continue;
      numbers.push(this.#find(bytes, start, i + 1 - start, hash));
      start = i + 1;
      hash = 0;
    }
    if (start < to) numbers.push(this.#find(bytes, start, to - start, hash));
    return Int32Array.from(numbers);
  }

  #find(bytes: Buffer, start: number, length: number, hash: number): number {
    for (let key = hash; ; key = (key + 1) | 0) {
      const number = this.#byHash.get(key);
      if (number === undefined) {
        this.#files.push(bytes);
        this.#starts.push(start);
        this.#lengths.push(length);
        this.#byHash.set(key, this.#files.length - 1);
        return this.#files.length - 1;
      }
      if (this.#lengths[number] === length && this.#same(number, bytes, start, length)) return number;
    }
  }

  #same(number: number, bytes: Buffer, start: number, length: number): boolean {
    const other = this.#files[number]!;
    const offset = this.#starts[number]!;
    for (let i = 0; i < length; i++) if (other[offset + i] !== bytes[start + i]) return false;
    return true;
  }
}

interface EditScript {
  removed: Uint8Array;
  added: Uint8Array;
}

function editScript(a: Int32Array, b: Int32Array): EditScript {
  const script = shortestEdits(a, b);
  if (script) return script;
  const whole: EditScript = { removed: new Uint8Array(a.length).fill(1), added: new Uint8Array(b.length).fill(1) };
  const anchors = uniqueCommonLines(a, b);
  if (anchors.length === 0) return whole;
  let [fromA, fromB] = [0, 0];
  for (const [inA, inB] of [...anchors, [a.length, b.length] as const]) {
    const between = editScript(a.subarray(fromA, inA), b.subarray(fromB, inB));
    whole.removed.set(between.removed, fromA);
    whole.added.set(between.added, fromB);
    if (inA < a.length) whole.removed[inA] = 0;
    if (inB < b.length) whole.added[inB] = 0;
    [fromA, fromB] = [inA + 1, inB + 1];
  }
  return whole;
}

/** The longest run of lines, in the order of both sides, that occur once on each (Bram Cohen's patience diff). */
function uniqueCommonLines(a: Int32Array, b: Int32Array): [number, number][] {
  const once = (lines: Int32Array): Map<number, number> => {
    const places = new Map<number, number>();
    for (const [place, line] of lines.entries()) places.set(line, places.has(line) ? -1 : place);
    return places;
  };
  const inB = once(b);
  const pairs: { a: number; b: number; before: number }[] = [];
  const tails: number[] = []; // by length of the run, the pair that ends it earliest in b
  for (const [line, place] of once(a)) {
    const other = inB.get(line) ?? -1;
    if (place < 0 || other < 0) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]!.b < other) low = middle + 1;
      else high = middle;
    }
    pairs.push({ a: place, b: other, before: low > 0 ? tails[low - 1]! : -1 });
    tails[low] = pairs.length - 1;
  }
  const run: [number, number][] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = pairs[i]!.before) run.push([pairs[i]!.a, pairs[i]!.b]);
  return run.reverse();
}

/** Myers' greedy search ("An O(ND) Difference Algorithm and Its Variations", 1986); `undefined` past {@link maxEdits}. */
function shortestEdits(a: Int32Array, b: Int32Array): EditScript | undefined {
  const removed = new Uint8Array(a.length);
  const added = new Uint8Array(b.length);
  if (a.length === 0 || b.length === 0) {
    removed.fill(1);
    added.fill(1);
    return { removed, added };
  }
  const limit = Math.min(a.length + b.length, maxEdits);
  const offset = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  let edits = -1;
  search: for (let d = 0; d <= limit; d++) {
    trace.push(furthest.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[offset + k - 1]! < furthest[offset + k + 1]!);
      let x = down ? furthest[offset + k + 1]! : furthest[offset + k - 1]! + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      furthest[offset + k] = x;
      if (x >= a.length && y >= b.length) {
        edits = d;
        break search;
      }
    }
  }
  if (edits < 0) return undefined;
  let [x, y] = [a.length, b.length];
  for (let d = edits; d > 0; d--) {
    const row = trace[d]!;
    const middle = d + 1;
    const k = x - y;
    const down = k === -d || (k !== d && row[middle + k - 1]! < row[middle + k + 1]!);
    const previous = down ? k + 1 : k - 1;
    x = row[middle + previous]!;
    y = x - previous;
    if (down) added[y] = 1;
    else removed[x] = 1;
  }
  return { removed, added };
}

/** Moves each group of marked lines down while the line after it equals its first; groups that meet become one. */
function slideDown(lines: Int32Array, marked: Uint8Array): void {
  for (let end = lines.length - 1; end >= 0; end--) {
    if (marked[end] !== 1) continue;
    let start = end;
    while (start > 0 && marked[start - 1] === 1) start--;
    let [first, next] = [start, end + 1];
    while (next < lines.length && marked[next] === 0 && lines[first] === lines[next]) {
      marked[first++] = 0;
      marked[next++] = 1;
      while (next < lines.length && marked[next] === 1) next++;
    }
    end = start;
  }
}

function toHunks({ removed, added }: EditScript, oldCount: number, newCount: number, first: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  while (i < oldCount || j < newCount) {
    const [oldStart, newStart] = [i, j];
    while (i < oldCount && removed[i] === 1) i++;
    while (j < newCount && added[j] === 1) j++;
    if (i === oldStart && j === newStart) {
      i++;
      j++;
    } else hunks.push(hunk(first, oldStart, i - oldStart, newStart, j - newStart));
  }
  return hunks;
}

/** An empty side names the line before it, as git does. */
function hunk(first: number, oldStart: number, oldCount: number, newStart: number, newCount: number): Hunk {
  return {
    old_start: first + oldStart - (oldCount === 0 ? 1 : 0),
    old_count: oldCount,
    new_start: first + newStart - (newCount === 0 ? 1 : 0),
    new_count: newCount,
  };
}
