import { shapeError } from '../errors.js';
import { broadcast, type Shape, sameShape, stretchedAxes } from '../shape.js';
import type { Pullback, Tensor } from '../tensor.js';
import { sum } from './reductions.js';
import { reshape } from './reshaping.js';

// Elementwise arithmetic with NumPy's broadcasting. A number stands for a constant of the tensor's type.

export type Operand = Tensor | number;

export function add(a: Operand, b: Operand): Tensor {
  return elementwise('add', 'Add', a, b, (x, y) => [(dz) => sumTo(dz, x.shape), (dz) => sumTo(dz, y.shape)]);
}

export function subtract(a: Operand, b: Operand): Tensor {
  return elementwise('subtract', 'Sub', a, b, (x, y) => [
    (dz) => sumTo(dz, x.shape),
    (dz) => sumTo(negate(dz), y.shape),
  ]);
}

export function multiply(a: Operand, b: Operand): Tensor {
  return elementwise('multiply', 'Mul', a, b, (x, y) => [
    (dz) => sumTo(multiply(dz, y), x.shape),
    (dz) => sumTo(multiply(dz, x), y.shape),
  ]);
}

export function divide(a: Operand, b: Operand): Tensor {
  return elementwise('divide', 'Div', a, b, (x, y, z) => [
    (dz) => sumTo(divide(dz, y), x.shape),
    (dz) => sumTo(negate(multiply(dz, divide(z, y))), y.shape),
  ]);
}

export function negate(x: Tensor): Tensor {
  return x.graph.node('Neg', [x], x.shape, { pullbacks: [(dy) => negate(dy)] });
}

/** Takes a gradient back to the shape of an operand that was broadcast: sums over the axes that were stretched. */
export function sumTo(gradient: Tensor, shape: Shape): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  return reshape(sum(gradient, stretchedAxes(shape, gradient.shape)), shape);
}

function elementwise(
  name: string,
  type: string,
  a: Operand,
  b: Operand,
  pullbacks: (x: Tensor, y: Tensor, z: Tensor) => [Pullback, Pullback],
): Tensor {
  const [x, y] = toTensors(name, a, b);
  const shape = broadcast(x.shape, y.shape);
  if (!shape) throw shapeError(name, [x, y], 'these shapes do not broadcast');
  if (x.dtype !== y.dtype) throw shapeError(name, [x, y], 'the element types differ; cast one of them');
  const z: Tensor = x.graph.node(type, [x, y], shape, {
    pullbacks: [(dz) => pullbacks(x, y, z)[0](dz), (dz) => pullbacks(x, y, z)[1](dz)],
  });
  return z;
}

function toTensors(name: string, a: Operand, b: Operand): [Tensor, Tensor] {
  if (typeof a === 'object') return [a, typeof b === 'object' ? b : a.graph.constant(b, [], a.dtype)];
  if (typeof b === 'object') return [b.graph.constant(a, [], b.dtype), b];
  throw new TypeError(`${name}(${a}, ${b}): at least one operand must be a tensor`);
}
