import { checkTypes, numbers, shapeError } from '../errors.js';
import { broadcast, type Shape, sameShape, stretchedAxes } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { sum } from './reductions.js';
import { reshape } from './reshaping.js';

// Elementwise arithmetic with NumPy's broadcasting. A number stands for a constant of the tensor's type.

export type Operand = Tensor | number;

export function add(a: Operand, b: Operand): Tensor {
  return elementwise('add', 'Add', a, b, [(dz) => dz, (dz) => dz]);
}

export function subtract(a: Operand, b: Operand): Tensor {
  return elementwise('subtract', 'Sub', a, b, [(dz) => dz, (dz) => negate(dz)]);
}

export function multiply(a: Operand, b: Operand): Tensor {
  return elementwise('multiply', 'Mul', a, b, [(dz, _x, y) => multiply(dz, y), (dz, x) => multiply(dz, x)]);
}

export function divide(a: Operand, b: Operand): Tensor {
  return elementwise('divide', 'Div', a, b, [
    (dz, _x, y) => divide(dz, y),
    (dz, _x, y, z) => negate(multiply(dz, divide(z, y))),
  ]);
}

export function negate(x: Tensor): Tensor {
  checkTypes('negate', [x], numbers);
  return x.graph.node('Neg', [x], x.shape, { pullbacks: [(dy) => negate(dy)] });
}

/** Takes a gradient back to the shape of an operand that was broadcast: sums over the axes that were stretched. */
export function sumTo(gradient: Tensor, shape: Shape): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  return reshape(sum(gradient, stretchedAxes(shape, gradient.shape)), shape);
}

/** The gradient by an operand of z = x ∘ y, before it is summed to the operand's shape. */
type PartialDerivative = (dz: Tensor, x: Tensor, y: Tensor, z: Tensor) => Tensor;

function elementwise(
  name: string,
  type: string,
  a: Operand,
  b: Operand,
  [byX, byY]: readonly [PartialDerivative, PartialDerivative],
): Tensor {
  const [x, y] = toTensors(name, a, b);
  const shape = broadcast(x.shape, y.shape);
  if (!shape) throw shapeError(name, [x, y], 'these shapes do not broadcast');
  checkTypes(name, [x, y], numbers);
  const z: Tensor = x.graph.node(type, [x, y], shape, {
    pullbacks: [(dz) => sumTo(byX(dz, x, y, z), x.shape), (dz) => sumTo(byY(dz, x, y, z), y.shape)],
  });
  return z;
}

/** Turns a number into a constant beside the tensor that is the other operand. */
export function toTensors(op: string, a: Operand, b: Operand): [Tensor, Tensor] {
  if (typeof a === 'object') return [a, typeof b === 'object' ? b : a.graph.constant(b, [], a.dtype)];
  if (typeof b === 'object') return [b.graph.constant(a, [], b.dtype), b];
  throw shapeError(op, [], `at least one operand must be a tensor, got ${a} and ${b}`);
}
