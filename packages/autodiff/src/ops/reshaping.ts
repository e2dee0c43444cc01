import { shapeError } from '../errors.js';
import { broadcast, type Shape, sameShape, sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { sumTo } from './arithmetic.js';
import { normalizeAxes } from './reductions.js';

/** The same elements in the same order under another shape. */
export function reshape(x: Tensor, shape: Shape): Tensor {
  if (sizeOf(shape) !== sizeOf(x.shape)) {
    throw shapeError('reshape', [x], `${sizeOf(x.shape)} elements do not fill [${shape.join(', ')}]`);
  }
  if (sameShape(x.shape, shape)) return x;
  const pullbacks = [(dy: Tensor) => reshape(dy, x.shape)];
  if (shape.length === 0) return x.graph.node('Squeeze', [x], shape, { pullbacks }); // there are no sizes to pass
  return x.graph.node('Reshape', [x, integers(x, shape)], shape, { pullbacks });
}

/** Axes in a new order: axis `i` of the result is axis `permutation[i]` of x. Default: the last two swapped. */
export function transpose(x: Tensor, permutation: readonly number[] = swapLastTwo(x)): Tensor {
  const isPermutation = normalizeAxes('transpose', x, permutation).length === x.shape.length;
  if (!isPermutation) throw shapeError('transpose', [x], `[${permutation.join(', ')}] does not name every axis`);
  const order = permutation.map((axis) => (axis < 0 ? axis + x.shape.length : axis));
  return x.graph.node(
    'Transpose',
    [x],
    order.map((axis) => x.shape[axis]!),
    {
      attributes: { perm: order },
      pullbacks: [
        (dy) =>
          transpose(
            dy,
            order.map((_, axis) => order.indexOf(axis)),
          ),
      ],
    },
  );
}

/** Elements `start` (inclusive) to `end` (exclusive) along one axis. */
export function slice(x: Tensor, axis: number, start: number, end: number): Tensor {
  const [along] = normalizeAxes('slice', x, [axis]) as [number];
  const size = x.shape[along]!;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || start >= end || end > size) {
    throw shapeError('slice', [x], `${start} to ${end} is no range of axis ${along}`);
  }
  const shape = x.shape.with(along, end - start);
  const bounds = [start, end, along].map((value) => integers(x, [value]));
  return x.graph.node('Slice', [x, ...bounds], shape, {
    pullbacks: [
      (dy) => {
        const pads = [...x.shape, ...x.shape].fill(0);
        pads[along] = start;
        pads[x.shape.length + along] = size - end;
        return dy.graph.node('Pad', [dy, integers(dy, pads)], x.shape);
      },
    ],
  });
}

/** Tensors joined along an axis; all other sizes must agree. */
export function concat(tensors: readonly Tensor[], axis: number): Tensor {
  const [first] = tensors;
  if (!first) throw shapeError('concat', [], 'at least one tensor is needed');
  const [along] = normalizeAxes('concat', first, [axis]) as [number];
  const others = (shape: Shape) => shape.filter((_, index) => index !== along);
  const fits = tensors.every(
    ({ shape, dtype }) => dtype === first.dtype && sameShape(others(shape), others(first.shape)),
  );
  if (!fits) throw shapeError('concat', tensors, `sizes other than that of axis ${along} differ`);
  const ends = tensors.map((_, index) =>
    tensors.slice(0, index + 1).reduce((end, { shape }) => end + shape[along]!, 0),
  );
  return first.graph.node('Concat', tensors, first.shape.with(along, ends.at(-1)!), {
    attributes: { axis: along },
    pullbacks: tensors.map(
      ({ shape }, index) =>
        (dy) =>
          slice(dy, along, ends[index]! - shape[along]!, ends[index]!),
    ),
  });
}

/** Stretches axes of size 1, and adds leading ones, to reach `shape`. */
export function broadcastTo(x: Tensor, shape: Shape): Tensor {
  const reached = broadcast(x.shape, shape);
  if (!reached || !sameShape(reached, shape)) {
    throw shapeError('broadcastTo', [x], `cannot be stretched to [${shape.join(', ')}]`);
  }
  if (sameShape(x.shape, shape)) return x;
  return x.graph.node('Expand', [x, integers(x, shape)], shape, { pullbacks: [(dy) => sumTo(dy, x.shape)] });
}

function integers({ graph }: Tensor, values: readonly number[]): Tensor {
  return graph.constant(values, [values.length], 'int64');
}

function swapLastTwo({ shape }: Tensor): number[] {
  const axes = shape.map((_, axis) => axis);
  return axes.length < 2 ? axes : [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!];
}
