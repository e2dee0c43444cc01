import type { Hunk } from '@redef/core';
import { commonEnds } from './common-ends.js';

/** Edits past which a diff is not searched any further: its middle becomes one hunk. */
const maxEdits = 1500;
const newline = 10;

export interface LineDiff {
  hunks: Hunk[];
  /** Bytes shared at the beginning and, of the rest, at the end. */
  prefix: number;
  suffix: number;
  /** The search was given up: the hunk holds lines that did not change. */
  coarse: boolean;
}

/** A byte offset whose 1-based line is known, to count from. */
export interface LineMark {
  offset: number;
  line: number;
}

/**
 * The lines that differ between two files, as the hunks of `git diff -U0` with the Myers algorithm (a shortest edit
 * script; a group of added or removed lines that could stand in several places is moved as far down as the differing stretch goes).
 *
 * @param mark gives a place at or before an offset of `before` from which its lines are counted
 */
export function diffLines(before: Buffer, after: Buffer, mark?: (offset: number) => LineMark): LineDiff {
  const { prefix, suffix } = commonEnds(before, after);
  if (prefix === before.length && prefix === after.length) return { hunks: [], prefix, suffix, coarse: false };

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
  const oldLines = splitLines(before, start, oldEnd);
  const newLines = splitLines(after, start, newEnd);
  const ids = new Map<string, number>();
  const a = numberLines(before, oldLines, ids);
  const b = numberLines(after, newLines, ids);
  const script = shortestEdits(a, b);
  if (!script) {
    return { hunks: [hunk(first, 0, a.length, 0, b.length)], prefix, suffix, coarse: true };
  }
  slideDown(a, script.removed);
  slideDown(b, script.added);
  return { hunks: toHunks(script, a.length, b.length, first), prefix, suffix, coarse: false };
}

/** Newlines in a stretch of a file. */
export function countLines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === newline) count++;
  return count;
}

/** Offsets at which lines begin, and the end of the last. */
function splitLines(bytes: Buffer, from: number, to: number): number[] {
  const offsets = [from];
  let at = from;
  while (at < to) {
    const found = bytes.indexOf(newline, at);
    at = found < 0 || found >= to ? to : found + 1;
    offsets.push(at);
  }
  return offsets;
}

function numberLines(bytes: Buffer, offsets: readonly number[], ids: Map<string, number>): Int32Array {
  const numbers = new Int32Array(offsets.length - 1);
  for (let i = 0; i < numbers.length; i++) {
    const text = bytes.toString('latin1', offsets[i]!, offsets[i + 1]!);
    let number = ids.get(text);
    if (number === undefined) {
      number = ids.size;
      ids.set(text, number);
    }
    numbers[i] = number;
  }
  return numbers;
}

interface EditScript {
  removed: Uint8Array;
  added: Uint8Array;
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
