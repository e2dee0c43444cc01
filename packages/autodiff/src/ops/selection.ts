import type { DType } from '../dtype.js';
import { shapeError } from '../errors.js';
import { elementTypes } from '../onnx/model.js';
import { broadcast } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { multiply, type Operand, sumTo, toTensors } from './arithmetic.js';

/** `a` where the condition holds, `b` elsewhere; the three broadcast. At least one of `a` and `b` is a tensor. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  const [x, y] = toTensors('where', a, b);
  const shape = broadcast(condition.shape, broadcast(x.shape, y.shape) ?? [-1]);
  if (!shape) throw shapeError('where', [condition, x, y], 'these shapes do not broadcast');
  if (condition.dtype !== 'bool' || x.dtype !== y.dtype) {
    throw shapeError('where', [condition, x, y], 'expected a bool condition and branches of one element type');
  }
  return x.graph.node('Where', [condition, x, y], shape, {
    dtype: x.dtype,
    pullbacks: [
      undefined,
      (dz) => sumTo(where(condition, dz, 0), x.shape),
      (dz) => sumTo(where(condition, 0, dz), y.shape),
    ],
  });
}

/** `x` where the condition of its shape holds, 0 elsewhere: {@link where} for finite numbers, in half the time. */
export function keepWhere(condition: Tensor, x: Tensor): Tensor {
  return multiply(x, cast(condition, x.dtype));
}

/** Whether elements are equal (bool). No gradient passes. */
export function equal(a: Tensor, b: Operand): Tensor {
  return compare('equal', 'Equal', a, b);
}

/** Whether elements differ (bool). No gradient passes. */
export function notEqual(a: Tensor, b: Operand): Tensor {
  const same = compare('notEqual', 'Equal', a, b);
  return a.graph.node('Not', [same], same.shape);
}

/** Whether `a` is less than `b`, element by element (bool). No gradient passes. */
export function less(a: Tensor, b: Operand): Tensor {
  return compare('less', 'Less', a, b);
}

/** Another element type; a bool becomes 0 or 1. No gradient passes. */
export function cast(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : x.graph.node('Cast', [x], x.shape, { dtype, attributes: { to: elementTypes[dtype] } });
}

function compare(op: string, type: string, a: Tensor, b: Operand): Tensor {
  const y = typeof b === 'object' ? b : a.graph.constant(b, [], a.dtype);
  const shape = broadcast(a.shape, y.shape);
  if (!shape) throw shapeError(op, [a, y], 'these shapes do not broadcast');
  if (a.dtype !== y.dtype) throw shapeError(op, [a, y], 'the element types differ; cast one of them');
  return a.graph.node(type, [a, y], shape, { dtype: 'bool' });
}
