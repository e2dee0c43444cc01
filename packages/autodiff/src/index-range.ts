import type { Tensor } from './tensor.js';

/** Which numbers an op takes from one of its operands: 0 up to, not including, `below`, and `except`. */
export interface IndexRange {
  tensor: Tensor;
  below: number;
  except?: number;
}

/** Position of the first number outside the range, or -1. ONNX itself would count negative ones from the end. */
export function findOutside(values: ArrayLike<unknown>, { below, except }: Omit<IndexRange, 'tensor'>): number {
  for (let position = 0; position < values.length; position++) {
    const value = Number(values[position]);
    if (!(value >= 0 && value < below) && value !== except) return position;
  }
  return -1;
}

/** `-1 at position 3 is not from 0 to 99` */
export function describeOutside(
  values: ArrayLike<unknown>,
  position: number,
  { below, except }: Omit<IndexRange, 'tensor'>,
): string {
  const nor = except === undefined ? '' : `, nor ${except}`;
  return `${values[position]} at position ${position} is not from 0 to ${below - 1}${nor}`;
}

/** What a tensor has its numbers from, in the same order. */
export function originOf(tensor: Tensor): Tensor {
  let origin = tensor;
  while (origin.node?.type === 'Reshape' || origin.node?.type === 'Squeeze') origin = origin.node.inputs[0]!;
  return origin;
}
