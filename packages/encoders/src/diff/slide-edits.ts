import type { EditFlags } from './edit-flags.js';
import { splitScore } from './split-score.js';
import type { TextLines } from './text-lines.js';

/** How far up a stretch of edited lines is considered for a better place, as in git. */
const maxSliding = 100;

/**
 * Moves each stretch of edited lines, among the places where it means the same, to the one that git prints: beside an
 * edit of the other side where there is one, else where git's indent heuristic likes its borders best. Changes the flags
 * in place; the number of edits stays.
 */
export function slideEdits(a: TextLines, b: TextLines, { deleted, added }: EditFlags): void {
  slideSide(a, deleted, b.length, added);
  slideSide(b, added, a.length, deleted);
}

function slideSide(lines: TextLines, flags: number[], otherLength: number, otherFlags: number[]): void {
  const group = new Group(lines.length, flags);
  const other = new Group(otherLength, otherFlags);
  do {
    if (group.start === group.end) continue;
    let size: number;
    let earliestEnd: number;
    let besideOther: number | undefined;
    do {
      size = group.end - group.start;
      besideOther = undefined;
      while (group.slideUp(lines)) other.previous();
      earliestEnd = group.end;
      if (other.end > other.start) besideOther = group.end;
      while (group.slideDown(lines)) {
        other.next();
        if (other.end > other.start) besideOther = group.end;
      }
    } while (size !== group.end - group.start); // it met a neighbour and grew: once more
    if (group.end === earliestEnd) continue;
    const target = besideOther ?? byIndent(lines, group.end, size, earliestEnd);
    while (group.end > target && group.slideUp(lines)) other.previous();
  } while (group.next() && other.next());
}

/** Where git's indent heuristic lets a stretch of `size` lines end, from `earliestEnd` to `end`. */
function byIndent(lines: TextLines, end: number, size: number, earliestEnd: number): number {
  let best = end;
  let bestScore: ReturnType<typeof splitScore> | undefined;
  for (let shift = Math.max(earliestEnd, end - size - 1, end - maxSliding); shift <= end; shift++) {
    const score = splitScore(lines, shift, shift - size);
    if (!bestScore || score.compare(bestScore) <= 0) {
      bestScore = score;
      best = shift;
    }
  }
  return best;
}

/** A stretch of edited lines, empty between two equal ones. There are as many on each side, in the same order. */
class Group {
  start = 0;
  end = 0;

  constructor(
    private readonly length: number,
    private readonly flags: number[],
  ) {
    this.#extend();
  }

  next(): boolean {
    if (this.end === this.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#extend();
    return true;
  }

  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    while (this.start > 0 && this.flags[this.start - 1]) this.start--;
    return true;
  }

  slideUp(lines: TextLines): boolean {
    if (this.start === 0 || lines.line(this.start - 1) !== lines.line(this.end - 1)) return false;
    this.flags[--this.start] = 1;
    this.flags[--this.end] = 0;
    while (this.start > 0 && this.flags[this.start - 1]) this.start--;
    return true;
  }

  slideDown(lines: TextLines): boolean {
    if (this.end === this.length || lines.line(this.start) !== lines.line(this.end)) return false;
    this.flags[this.start++] = 0;
    this.flags[this.end++] = 1;
    this.#extend();
    return true;
  }

  #extend(): void {
    while (this.end < this.length && this.flags[this.end]) this.end++;
  }
}
