import { RedefError } from '@redef/core';

/** The best continuations of some rows, best first. */
export interface Selection {
  /** Row score + log-probability, in 32-bit floats as PyTorch adds them. */
  scores: Float32Array;
  rows: Int32Array;
  tokens: Int32Array;
}

/**
 * The `count` best of rows x vocabulary; fewer where fewer are possible at all (-Infinity is not). Of equal scores the
 * lower row, then the lower token comes first. Time linear in rows x vocabulary: a heap of `count` behind one comparison.
 *
 * @throws `RedefError` `invalid-decoder` where nothing is possible: all are -Infinity or NaN
 */
export function selectTop(
  logProbabilities: Float32Array,
  vocabulary: number,
  rowScores: ArrayLike<number>,
  count: number,
): Selection {
  const scores = new Float32Array(count);
  const positions = new Int32Array(count);
  let size = 0;

  /** The worse of two is nearer the heap's root. */
  const worse = (a: number, b: number): boolean =>
    scores[a]! < scores[b]! || (scores[a] === scores[b] && positions[a]! > positions[b]!);
  const swap = (a: number, b: number): void => {
    [scores[a], scores[b]] = [scores[b]!, scores[a]!];
    [positions[a], positions[b]] = [positions[b]!, positions[a]!];
  };
  /** Log-probabilities up to here cannot enter; a little lower than need be, for the rounding of the difference. */
  const floorFor = (base: number): number =>
    size < count ? -Infinity : scores[0]! - base - Math.abs(scores[0]!) * 2 ** -22;
  const siftDown = (from: number, length: number): void => {
    for (let parent = from; ; ) {
      let child = 2 * parent + 1;
      if (child >= length) return;
      if (child + 1 < length && worse(child + 1, child)) child++;
      if (!worse(child, parent)) return;
      swap(child, parent);
      parent = child;
    }
  };

  for (let row = 0; row < rowScores.length; row++) {
    const base = Math.fround(rowScores[row]!);
    const end = (row + 1) * vocabulary;
    let floor = floorFor(base);
    for (let position = row * vocabulary; position < end; position++) {
      const logProbability = logProbabilities[position]!;
      if (!(logProbability > floor)) continue; // the one comparison that nearly all meet; NaN never passes
      const score = Math.fround(base + logProbability);
      if (size < count) {
        let child = size++;
        scores[child] = score;
        positions[child] = position;
        for (let parent = (child - 1) >> 1; child > 0 && worse(child, parent); parent = (child - 1) >> 1) {
          swap(child, parent);
          child = parent;
        }
      } else if (score > scores[0]!) {
        scores[0] = score; // of equal scores the earlier stays
        positions[0] = position;
        siftDown(0, size);
      } else continue;
      floor = floorFor(base);
    }
  }
  if (size === 0) {
    throw new RedefError('the decoder gave no token a log-probability above -Infinity', {
      code: 'invalid-decoder',
      remedy: 'Look for NaN in the model: a learning rate too high, or weights of another model.',
    });
  }
  for (let last = size - 1; last > 0; last--) {
    swap(0, last);
    siftDown(0, last);
  }
  const rows = new Int32Array(size);
  const tokens = new Int32Array(size);
  for (let i = 0; i < size; i++) {
    rows[i] = Math.floor(positions[i]! / vocabulary);
    tokens[i] = positions[i]! - rows[i]! * vocabulary;
  }
  return { scores: scores.subarray(0, size), rows, tokens };
}
