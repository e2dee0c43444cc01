/** The sparse features of one input: a bucket number and a value at each position, buckets ascending. */
export interface SparseVector {
  buckets: Uint32Array;
  values: Float32Array;
}

/**
 * Hashed token counts: log(1 + count) of the tokens that fall into each bucket, scaled to unit length so that long
 * functions weigh no more than short ones. Two tokens in one bucket are counted together.
 *
 * @param bucketCount a power of two
 */
export function hashedTokenCounts(inputIds: ArrayLike<number>, bucketCount: number): SparseVector {
  const counts = new Map<number, number>();
  for (let i = 0; i < inputIds.length; i++) {
    const bucket = mix(inputIds[i]!) & (bucketCount - 1);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const buckets = Uint32Array.from(counts.keys()).sort();
  const values = Float32Array.from(buckets, (bucket) => Math.log1p(counts.get(bucket)!));
  let squares = 0;
  for (const value of values) squares += value * value;
  if (squares > 0) {
    const scale = 1 / Math.sqrt(squares);
    for (let i = 0; i < values.length; i++) values[i]! *= scale;
  }
  return { buckets, values };
}

/** MurmurHash3's 32-bit finaliser: consecutive ids land far apart. */
function mix(id: number): number {
  let hash = id | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
