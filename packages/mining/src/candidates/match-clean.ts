import type { Rng } from '@redef/core';

export interface MatchOptions {
  /** How many are wanted for each anchor. */
  ratio: number;
  windowSeconds: number;
  rng: Rng;
}

/**
 * Draws from `pool`, without replacement, `ratio` items for each anchor whose time lies within the window of the
 * anchor's. Anchors take turns in random order, one draw each a round, so that none takes what others need before all
 * had one. A fractional ratio gives the rest to a random part of the anchors.
 *
 * @param anchors their times, in seconds
 * @param pool the times to draw from, ascending
 * @returns the places in `pool` that were drawn, ascending, and how many draws found nothing left
 */
export function matchByTime(
  anchors: ArrayLike<number>,
  pool: ArrayLike<number>,
  { ratio, windowSeconds, rng }: MatchOptions,
): { chosen: number[]; unmatched: number } {
  const free = new FreePlaces(pool.length);
  const chosen: number[] = [];
  let unmatched = 0;
  const wanted = Math.round(anchors.length * ratio);
  let order: number[] = [];
  let chosenBefore = -1;
  for (let drawn = 0; drawn < wanted; drawn++) {
    if (drawn % anchors.length === 0) {
      if (chosen.length === chosenBefore) {
        unmatched += wanted - drawn; // a round found nothing: none will
        break;
      }
      chosenBefore = chosen.length;
      order = rng.shuffle(Array.from(anchors, (_, index) => index));
    }
    const seconds = anchors[order[drawn % anchors.length]!]!;
    const low = lowerBound(pool, seconds - windowSeconds);
    const high = lowerBound(pool, seconds + windowSeconds + 1);
    const before = free.countBefore(low);
    const available = free.countBefore(high) - before;
    if (available === 0) {
      unmatched++;
      continue;
    }
    const place = free.nth(before + rng.integer(available));
    free.take(place);
    chosen.push(place);
  }
  return { chosen: chosen.sort((a, b) => a - b), unmatched };
}

function lowerBound(pool: ArrayLike<number>, seconds: number): number {
  let low = 0;
  let high = pool.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pool[middle]! < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts what is left in a stretch and finds its n-th, both in logarithmic time (a Fenwick tree). */
class FreePlaces {
  readonly #tree: Int32Array;

  constructor(private readonly size: number) {
    this.#tree = new Int32Array(size + 1);
    for (let i = 1; i <= size; i++) {
      this.#tree[i]! += 1;
      const parent = i + (i & -i);
      if (parent <= size) this.#tree[parent]! += this.#tree[i]!;
    }
  }

  countBefore(place: number): number {
    let count = 0;
    for (let i = place; i > 0; i -= i & -i) count += this.#tree[i]!;
    return count;
  }

  /** The place of the free one with so many free ones before it. */
  nth(index: number): number {
    let place = 0;
    let left = index;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.size))); step > 0; step >>= 1) {
      if (place + step <= this.size && this.#tree[place + step]! <= left) {
        place += step;
        left -= this.#tree[place]!;
      }
    }
    return place;
  }

  take(place: number): void {
    for (let i = place + 1; i <= this.size; i += i & -i) this.#tree[i]!--;
  }
}
