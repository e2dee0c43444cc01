/** Members of one bucket that are all compared with each other; in a larger one each is compared with its neighbours alone. */
const fullBucket = 1000;
const neighbours = 50;

export interface CandidateOptions {
  /** Pairs that are together already are passed over. */
  together(first: number, second: number): boolean;
  /** Called for each bucket too large to compare in full. */
  onCapped(): void;
}

/**
 * Pairs of items whose keys agree in some band, each pair at most once, `first < second`.
 *
 * @param keys by band, the key of each item
 */
export function* candidatePairs(
  keys: readonly Uint32Array[],
  { together, onCapped }: CandidateOptions,
): Generator<[first: number, second: number, band: number], void, undefined> {
  for (const [band, bandKeys] of keys.entries()) {
    const order = sortedByKey(bandKeys);
    for (let start = 0; start < order.length; ) {
      const key = bandKeys[order[start]!]!;
      let end = start + 1;
      while (end < order.length && bandKeys[order[end]!] === key) end++;
      const capped = end - start > fullBucket;
      if (capped) onCapped();
      for (let second = start + 1; second < end; second++) {
        for (let first = capped ? Math.max(start, second - neighbours) : start; first < second; first++) {
          const pair: [number, number, number] = [order[first]!, order[second]!, band];
          if (!together(pair[0], pair[1]) && !metBefore(keys, pair)) yield pair;
        }
      }
      start = end;
    }
  }
}

function metBefore(keys: readonly Uint32Array[], [first, second, band]: [number, number, number]): boolean {
  for (let earlier = 0; earlier < band; earlier++) if (keys[earlier]![first] === keys[earlier]![second]) return true;
  return false;
}

/** Items by key, equal keys in the order of the items. */
function sortedByKey(keys: Uint32Array): Uint32Array {
  // A key above an item number fits a double exactly up to 2^21 items; a typed array of doubles sorts natively.
  const shift = Math.max(0, Math.ceil(Math.log2(keys.length + 1)) - 21);
  const room = 2 ** (21 + shift);
  const composite = Float64Array.from(keys, (key, item) => (key >>> shift) * room + item).sort();
  return Uint32Array.from(composite, (value) => value % room);
}
