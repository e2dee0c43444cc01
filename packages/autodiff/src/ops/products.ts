import { checkTypes, shapeError } from '../errors.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { sum } from './reductions.js';

export interface MatmulOptions {
  /** Multiply by the transpose (of the last two axes) of the first operand. */
  transposeA?: boolean;
  transposeB?: boolean;
  /** Factor of the product. Default 1. */
  scale?: number;
}

/**
 * Matrix product over the last two axes; the leading axes (batch, heads) must agree.
 * Shapes: (..., m, k), (..., k, n) to (..., m, n).
 */
export function matmul(
  a: Tensor,
  b: Tensor,
  { transposeA = false, transposeB = false, scale = 1 }: MatmulOptions = {},
): Tensor {
  checkTypes('matmul', [a, b]);
  if (
    a.shape.length < 2 ||
    a.shape.length !== b.shape.length ||
    !sameShape(a.shape.slice(0, -2), b.shape.slice(0, -2))
  ) {
    throw shapeError('matmul', [a, b], 'expected two or more axes, all but the last two equal');
  }
  const [m, inner] = transposeA ? [a.shape.at(-1)!, a.shape.at(-2)!] : [a.shape.at(-2)!, a.shape.at(-1)!];
  const [k, n] = transposeB ? [b.shape.at(-1)!, b.shape.at(-2)!] : [b.shape.at(-2)!, b.shape.at(-1)!];
  if (inner !== k) throw shapeError('matmul', [a, b], `the inner sizes ${inner} and ${k} differ`);
  const product = (x: Tensor, y: Tensor, transposeX: boolean, transposeY: boolean) =>
    matmul(x, y, { transposeA: transposeX, transposeB: transposeY, scale });
  return a.graph.node('FusedMatMul', [a, b], [...a.shape.slice(0, -2), m, n], {
    domain: 'com.microsoft',
    attributes: { transA: Number(transposeA), transB: Number(transposeB), alpha: { float: scale } },
    pullbacks: [
      (dy) => (transposeA ? product(b, dy, transposeB, true) : product(dy, b, false, !transposeB)), // dy bᵀ
      (dy) => (transposeB ? product(dy, a, true, transposeA) : product(a, dy, !transposeA, false)), // aᵀ dy
    ],
  });
}

/**
 * An affine layer, x wᵀ + b, with the weight stored as PyTorch does.
 * Shapes: x (rows, inputs), weight (outputs, inputs), bias (outputs) to (rows, outputs).
 */
export function linear(x: Tensor, weight: Tensor, bias?: Tensor): Tensor {
  const operands = bias ? [x, weight, bias] : [x, weight];
  checkTypes('linear', operands);
  if (x.shape.length !== 2 || weight.shape.length !== 2 || x.shape[1] !== weight.shape[1]) {
    throw shapeError('linear', operands, 'expected x (rows, inputs) and weight (outputs, inputs)');
  }
  const [rows, outputs] = [x.shape[0]!, weight.shape[0]!];
  if (bias && !sameShape(bias.shape, [outputs])) throw shapeError('linear', operands, `expected bias (${outputs})`);
  return x.graph.node('Gemm', operands, [rows, outputs], {
    attributes: { transB: 1 },
    pullbacks: [
      (dy) => dy.graph.node('Gemm', [dy, weight], x.shape),
      (dy) => dy.graph.node('Gemm', [dy, x], weight.shape, { attributes: { transA: 1 } }),
      (dy) => sum(dy, [0]),
    ],
  });
}
