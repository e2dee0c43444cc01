/**
 * The bucket of a relative position (key - query), section 2.1 of the T5 report (Raffel et al., 2020): half of the
 * buckets are one distance each, the others grow logarithmically up to the maximum distance, and the last takes all
 * beyond. A bidirectional encoder splits the buckets between the two directions; a decoder sees no later keys.
 */
export function relativePositionBucket(
  relative: number,
  { bidirectional, buckets, maxDistance }: { bidirectional: boolean; buckets: number; maxDistance: number },
): number {
  const each = bidirectional ? Math.floor(buckets / 2) : buckets;
  const side = bidirectional && relative > 0 ? each : 0;
  const distance = bidirectional ? Math.abs(relative) : Math.max(-relative, 0);
  const exact = Math.floor(each / 2);
  if (distance < exact) return side + distance;
  // In single precision, step by step, as the published implementation: at the edges of buckets the rounding decides.
  const { fround } = Math;
  const ratio = fround(Math.log(fround(distance / exact)));
  const logarithmic = fround(fround(ratio / Math.log(maxDistance / exact)) * (each - exact));
  return side + Math.min(exact + Math.floor(logarithmic), each - 1);
}

/** Buckets of all pairs, row-major (queries, keys). */
export function relativePositionBuckets(
  queries: number,
  keys: number,
  options: Parameters<typeof relativePositionBucket>[1],
): Int32Array {
  return Int32Array.from({ length: queries * keys }, (_, index) =>
    relativePositionBucket((index % keys) - Math.floor(index / keys), options),
  );
}
