/** Orthonormal Helmert contrasts: (levels - 1) rows of `levels` weights, each row summing to zero. */
export function orthonormalContrasts(levels: number): number[][] {
  return Array.from({ length: levels - 1 }, (_, row) => {
    const scale = 1 / Math.sqrt((row + 1) * (row + 2));
    return Array.from({ length: levels }, (_, i) => (i <= row ? scale : i === row + 1 ? -(row + 1) * scale : 0));
  });
}

/** The row of weights that averages `levels` values, of length one. */
export const unitMean = (levels: number): number[][] => [new Array<number>(levels).fill(1 / Math.sqrt(levels))];

/** Every row of `left` times every row of `right`: weights over the cells of a two-way table, row by row. */
export function kronecker(left: readonly number[][], right: readonly number[][]): number[][] {
  return left.flatMap((l) => right.map((r) => l.flatMap((x) => r.map((y) => x * y))));
}
