import { checkOption } from '../errors.js';
import { add, divide, multiply } from '../ops/arithmetic.js';
import { sqrt } from '../ops/functions.js';
import { less, where } from '../ops/selection.js';
import type { Tensor } from '../tensor.js';
import { commonGraph } from './optimizer.js';

/**
 * Scales all gradients by one factor so that their joint Euclidean norm is at most `maxNorm`, as PyTorch's
 * `clip_grad_norm_`.
 *
 * @returns the gradients, and their norm before (a scalar)
 */
export function clipByGlobalNorm(gradients: readonly Tensor[], maxNorm: number): { gradients: Tensor[]; norm: Tensor } {
  checkOption(maxNorm > 0, 'clipByGlobalNorm', 'a norm above 0', maxNorm);
  const graph = commonGraph('clipByGlobalNorm', gradients, gradients);
  const squares = gradients.map((gradient) =>
    graph.node('ReduceSumSquare', [gradient], [], { attributes: { keepdims: 0 } }),
  );
  const norm = sqrt(squares.reduce((total, square) => add(total, square)));
  const ratio = divide(maxNorm, add(norm, 1e-6));
  const factor = where(less(ratio, 1), ratio, 1);
  return { gradients: gradients.map((gradient) => multiply(gradient, factor)), norm };
}
