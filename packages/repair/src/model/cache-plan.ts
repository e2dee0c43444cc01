/** A row (a beam, a draw) and the slots it sees. */
export interface CachedRow {
  /** Of the samples of its state. */
  sample: number;
  /** The slot of each token fed to it so far, oldest first. */
  path: Int32Array;
  /** Tokens fed to it so far that are no padding. */
  count: number;
}

/** What a cache holds, without the numbers themselves. */
export interface CacheLayout {
  rows: readonly CachedRow[];
  samples: number;
  /** Slots of each sample; some may be free. */
  slots: number;
  /** How many tokens were fed before each slot's own, (samples, slots). */
  positions: Int32Array;
  /** Tokens fed to each row so far: all rows are equally far. */
  length: number;
}

/** The integers and the mask to feed for one step, and the layout that the cache has after it. */
export interface CachePlan {
  /** The samples that go on, by their number in the layout before. */
  samples: readonly number[];
  /** The sizes of the free axes. */
  beams: number;
  keptSlots: number;
  grid: Int32Array;
  places: Int32Array;
  counts: Int32Array;
  kept: Int32Array;
  distances: Int32Array;
  visible: Float32Array;
  next: CacheLayout;
}

/** Makes the softmax an exact 0. */
const hidden = -1e9;

/** Before the first token: a row for each sample, and one slot that no row sees, since no axis may be empty. */
export function emptyLayout(samples: number): CacheLayout {
  const rows = Array.from({ length: samples }, (_, sample) => ({ sample, path: new Int32Array(0), count: 0 }));
  return { rows, samples, slots: 1, positions: new Int32Array(samples), length: 0 };
}

/**
 * Plans one step: which slots stay, because a row that goes on sees them, and where each row and slot goes.
 *
 * @param parents for each new row the row of `layout` it goes on from
 * @param tokens fed to each new row
 */
export function planStep(
  layout: CacheLayout,
  parents: Int32Array,
  tokens: Int32Array,
  { heads, paddingToken }: { heads: number; paddingToken: number },
): CachePlan {
  const samples: number[] = [];
  const rowsOf: number[][] = []; // for each sample that goes on its new rows
  const indexOf = new Map<number, number>();
  parents.forEach((parent, row) => {
    const { sample } = layout.rows[parent]!;
    let index = indexOf.get(sample);
    if (index === undefined) {
      index = samples.push(sample) - 1;
      indexOf.set(sample, index);
      rowsOf.push([]);
    }
    rowsOf[index]!.push(row);
  });

  const beams = Math.max(...rowsOf.map((rows) => rows.length));
  const keptOf = rowsOf.map((rows) =>
    keepSlots(
      layout,
      rows.map((row) => layout.rows[parents[row]!]!),
    ),
  );
  const keptSlots = Math.max(1, ...keptOf.map(({ slots }) => slots.length));
  const width = keptSlots + beams;

  const grid = new Int32Array(samples.length * beams);
  const places = new Int32Array(parents.length);
  const counts = new Int32Array(parents.length);
  const kept = new Int32Array(samples.length * heads * keptSlots);
  const distances = new Int32Array(samples.length * width);
  const positions = new Int32Array(samples.length * width);
  const visible = new Float32Array(samples.length * beams * width).fill(hidden);
  const nextRows: CachedRow[] = new Array(parents.length);

  for (const [index, sample] of samples.entries()) {
    const { slots, renumbered } = keptOf[index]!;
    for (let head = 0; head < heads; head++) {
      const from = (sample * heads + head) * layout.slots;
      const to = (index * heads + head) * keptSlots;
      for (let slot = 0; slot < keptSlots; slot++) kept[to + slot] = from + (slots[slot] ?? 0);
    }
    for (let slot = 0; slot < width; slot++) {
      const old = slot < slots.length ? layout.positions[sample * layout.slots + slots[slot]!]! : layout.length;
      positions[index * width + slot] = old;
      distances[index * width + slot] = layout.length - old;
    }
    for (const [beam, row] of rowsOf[index]!.entries()) {
      const { path: past, count } = layout.rows[parents[row]!]!;
      const place = index * beams + beam;
      const path = new Int32Array(past.length + 1);
      for (let at = 0; at < past.length; at++) path[at] = renumbered[past[at]!]!;
      path[past.length] = keptSlots + beam;
      for (const slot of path) visible[place * width + slot] = 0;
      const isToken = tokens[row] !== paddingToken;
      grid[place] = row;
      places[row] = place;
      counts[row] = isToken ? count + 1 : 0;
      nextRows[row] = { sample: index, path, count: count + Number(isToken) };
    }
  }
  const next = { rows: nextRows, samples: samples.length, slots: width, positions, length: layout.length + 1 };
  return { samples, beams, keptSlots, grid, places, counts, kept, distances, visible, next };
}

/** The slots that any of some rows sees, in their old order, and the new number of each. */
function keepSlots(layout: CacheLayout, rows: readonly CachedRow[]): { slots: number[]; renumbered: Int32Array } {
  const renumbered = new Int32Array(layout.slots).fill(-1);
  for (const { path } of rows) for (const slot of path) renumbered[slot] = 0;
  const slots: number[] = [];
  renumbered.forEach((mark, slot) => {
    if (mark === 0) renumbered[slot] = slots.push(slot) - 1;
  });
  return { slots, renumbered };
}
