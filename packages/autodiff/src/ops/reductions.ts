import { checkTypes, numbers, shapeError } from '../errors.js';
import { type Shape, sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { multiply } from './arithmetic.js';
import { broadcastTo, reshape } from './reshaping.js';

/**
 * Sum over the axes (negative ones count from the end; default: all).
 *
 * @param keepDims keeps each summed axis with size 1
 */
export function sum(x: Tensor, axes: readonly number[] = allAxes(x), keepDims = false): Tensor {
  return reduce('sum', 'ReduceSum', x, axes, keepDims, 1);
}

/** Arithmetic mean over the axes, as {@link sum}. */
export function mean(x: Tensor, axes: readonly number[] = allAxes(x), keepDims = false): Tensor {
  const count = sizeOf(normalizeAxes('mean', x, axes).map((axis) => x.shape[axis]!));
  return reduce('mean', 'ReduceMean', x, axes, keepDims, 1 / count);
}

/** Axes as non-negative numbers in rising order. */
export function normalizeAxes(op: string, x: Tensor, axes: readonly number[]): number[] {
  const rank = x.shape.length;
  const normal = axes.map((axis) => (axis < 0 ? axis + rank : axis));
  if (!normal.every((axis) => Number.isInteger(axis) && axis >= 0 && axis < rank)) {
    throw shapeError(op, [x], `axes [${axes.join(', ')}] are not all axes of the operand`);
  }
  if (new Set(normal).size < normal.length) throw shapeError(op, [x], `an axis is named twice in [${axes.join(', ')}]`);
  return normal.sort((a, b) => a - b);
}

function reduce(
  op: string,
  type: string,
  x: Tensor,
  axes: readonly number[],
  keepDims: boolean,
  /** What each element of x adds to the result. */
  share: number,
): Tensor {
  checkTypes(op, [x], numbers);
  const reduced = normalizeAxes(op, x, axes);
  if (reduced.length === 0) return x;
  const kept: Shape = x.shape.map((size, axis) => (reduced.includes(axis) ? 1 : size));
  const shape = keepDims ? kept : x.shape.filter((_, axis) => !reduced.includes(axis));
  return x.graph.node(type, [x, x.graph.constant(reduced, [reduced.length], 'int64')], shape, {
    attributes: { keepdims: keepDims ? 1 : 0 },
    pullbacks: [(dy) => broadcastTo(multiply(reshape(dy, kept), share), x.shape)],
  });
}

function allAxes(x: Tensor): number[] {
  return x.shape.map((_, axis) => axis);
}
