import { RedefError } from '@redef/core';
import { sourceLine } from './source-line.js';
import type { Tensor } from './tensor.js';

/** `weight float32[2, 3]` */
export function describe({ name, dtype, shape }: Pick<Tensor, 'name' | 'dtype' | 'shape'>): string {
  return `${name} ${dtype}[${shape.join(', ')}]`;
}

/** Refuses an op whose operands do not fit: names the op, the operands with their shapes, and the line that asked for it. */
export function shapeError(op: string, operands: readonly Tensor[], problem: string): RedefError {
  return new RedefError(`${sourceLine()}: ${op}(${operands.map(describe).join(', ')}): ${problem}`, {
    code: 'shape-mismatch',
    remedy: 'Reshape or transpose an operand so that the shapes agree.',
  });
}
