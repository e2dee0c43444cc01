import { RedefError } from '@redef/core';
import type { DType } from './dtype.js';
import { sourceLine } from './source-line.js';
import type { Tensor } from './tensor.js';

/** `weight float32[2, 3]` */
export function describe({ name, dtype, shape }: Pick<Tensor, 'name' | 'dtype' | 'shape'>): string {
  return `${name} ${dtype}[${shape.join(', ')}]`;
}

/**
 * Refuses operands of several element types, or of one that the op has no kernel for: ONNX Runtime would, but only when
 * the graph is loaded, and without the line.
 */
export function checkTypes(op: string, operands: readonly Tensor[], allowed: readonly DType[] = floats): void {
  const [first] = operands;
  if (!first || !allowed.includes(first.dtype)) {
    throw shapeError(op, operands, `expected ${allowed.filter((dtype) => dtype !== 'float16').join(' or ')}`, castIt);
  }
  if (!operands.every(({ dtype }) => dtype === first.dtype)) {
    throw shapeError(op, operands, 'the element types differ', castIt);
  }
}

/** What can be computed with, as against masks and noise. */
export const numbers: readonly DType[] = ['float32', 'float64', 'float16', 'int32', 'int64'];
const floats: readonly DType[] = ['float32', 'float64', 'float16'];
const castIt = 'Use cast to give the operands one element type that the op has.';

/** @throws `RedefError` `invalid-option` where `holds` is false */
export function checkOption(holds: boolean, op: string, expected: string, got: unknown): void {
  if (holds) return;
  throw new RedefError(`${sourceLine()}: ${op}: expected ${expected}, got ${got}`, {
    code: 'invalid-option',
    remedy: 'Leave it out to take the default, where it has one.',
  });
}

/** Refuses numbers that an element type cannot hold. */
export function valueError(where: string, problem: string): RedefError {
  return new RedefError(`${where}: ${problem}`, {
    code: 'invalid-value',
    remedy: 'Pass whole numbers within the range of the type, or declare another element type.',
  });
}

/** Refuses an op whose operands do not fit: names the op, the operands with their shapes, and the line that asked for it. */
export function shapeError(
  op: string,
  operands: readonly Tensor[],
  problem: string,
  remedy = 'Reshape or transpose an operand so that the shapes agree.',
): RedefError {
  return new RedefError(`${sourceLine()}: ${op}(${operands.map(describe).join(', ')}): ${problem}`, {
    code: 'shape-mismatch',
    remedy,
  });
}
