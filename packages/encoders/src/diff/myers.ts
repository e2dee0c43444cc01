/** Edits searched for in one stretch before the best split so far is taken: bounds the work to about this much a line. */
const maxCost = 256;

/**
 * Marks the items that differ between two sequences: linear-space divide and conquer after Myers, "An O(ND) difference
 * algorithm and its variations" (1986), section 4b. The script is shortest where a stretch takes at most 2 x 256 edits; a
 * longer search ends at the furthest point reached, as GNU diff does.
 */
export function markEdits(
  a: readonly number[],
  b: readonly number[],
  onDeleted: (index: number) => void,
  onAdded: (index: number) => void,
): void {
  const search = new MiddleSearch(a, b);
  const boxes = [0, a.length, 0, b.length];
  while (boxes.length > 0) {
    let bEnd = boxes.pop()!;
    let bStart = boxes.pop()!;
    let aEnd = boxes.pop()!;
    let aStart = boxes.pop()!;
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
      aStart++;
      bStart++;
    }
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
      aEnd--;
      bEnd--;
    }
    if (aStart === aEnd) {
      for (let j = bStart; j < bEnd; j++) onAdded(j);
    } else if (bStart === bEnd) {
      for (let i = aStart; i < aEnd; i++) onDeleted(i);
    } else {
      search.run(aStart, aEnd, bStart, bEnd);
      boxes.push(aStart, search.x, bStart, search.y, search.x, aEnd, search.y, bEnd);
    }
  }
}

/**
 * Walks furthest-reaching paths from both corners of a box until they meet. Diagonal k holds the points with
 * x - y = k; `forward[k]` is the largest x reached on it from the start, `backward[k]` the smallest from the end.
 */
class MiddleSearch {
  x = 0;
  y = 0;
  readonly #forward: number[];
  readonly #backward: number[];
  /** Diagonal k is stored at k + offset; one cell beyond either end holds a sentinel. */
  readonly #offset: number;

  constructor(
    private readonly a: readonly number[],
    private readonly b: readonly number[],
  ) {
    this.#offset = b.length + 1;
    this.#forward = new Array<number>(a.length + b.length + 3).fill(0);
    this.#backward = new Array<number>(a.length + b.length + 3).fill(0);
  }

  /** Sets `x`, `y` to a point that splits the box in two smaller ones. The box's first and last items differ. */
  run(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b } = this;
    const forward = this.#forward;
    const backward = this.#backward;
    const o = this.#offset;
    const lowest = aStart - bEnd;
    const highest = aEnd - bStart;
    const fromStart = aStart - bStart;
    const fromEnd = aEnd - bEnd;
    const meetsForward = ((fromStart - fromEnd) & 1) !== 0;
    let fLow = fromStart;
    let fHigh = fromStart;
    let bLow = fromEnd;
    let bHigh = fromEnd;
    forward[o + fromStart] = aStart;
    backward[o + fromEnd] = aEnd;

    for (let cost = 1; ; cost++) {
      if (fLow > lowest) forward[o + --fLow - 1] = -1;
      else fLow++;
      if (fHigh < highest) forward[o + ++fHigh + 1] = -1;
      else fHigh--;
      for (let k = fHigh; k >= fLow; k -= 2) {
        const below = forward[o + k - 1]!;
        const above = forward[o + k + 1]!;
        let x = below >= above ? below + 1 : above;
        let y = x - k;
        while (x < aEnd && y < bEnd && a[x] === b[y]) {
          x++;
          y++;
        }
        forward[o + k] = x;
        if (meetsForward && k >= bLow && k <= bHigh && backward[o + k]! <= x) {
          this.x = x;
          this.y = y;
          return;
        }
      }

      if (bLow > lowest) backward[o + --bLow - 1] = 0x7fffffff;
      else bLow++;
      if (bHigh < highest) backward[o + ++bHigh + 1] = 0x7fffffff;
      else bHigh--;
      for (let k = bHigh; k >= bLow; k -= 2) {
        const below = backward[o + k - 1]!;
        const above = backward[o + k + 1]!;
        let x = below < above ? below : above - 1;
        let y = x - k;
        while (x > aStart && y > bStart && a[x - 1] === b[y - 1]) {
          x--;
          y--;
        }
        backward[o + k] = x;
        if (!meetsForward && k >= fLow && k <= fHigh && x <= forward[o + k]!) {
          this.x = x;
          this.y = y;
          return;
        }
      }

      if (cost >= maxCost) {
        this.#takeFurthest(aStart, aEnd, bStart, bEnd, fLow, fHigh, bLow, bHigh);
        return;
      }
    }
  }

  #takeFurthest(
    aStart: number,
    aEnd: number,
    bStart: number,
    bEnd: number,
    fLow: number,
    fHigh: number,
    bLow: number,
    bHigh: number,
  ): void {
    const o = this.#offset;
    let best = -1;
    for (let k = fHigh; k >= fLow; k -= 2) {
      const x = Math.min(this.#forward[o + k]!, aEnd, bEnd + k);
      const reached = x + x - k - aStart - bStart;
      if (reached > best) {
        best = reached;
        this.x = x;
        this.y = x - k;
      }
    }
    for (let k = bHigh; k >= bLow; k -= 2) {
      const x = Math.max(this.#backward[o + k]!, aStart, bStart + k);
      const reached = aEnd + bEnd - (x + x - k);
      if (reached > best) {
        best = reached;
        this.x = x;
        this.y = x - k;
      }
    }
  }
}
