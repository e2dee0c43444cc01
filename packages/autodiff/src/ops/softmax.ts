import type { Pullback, Tensor } from '../tensor.js';
import { multiply, subtract } from './arithmetic.js';
import { exp, log } from './functions.js';
import { sum } from './reductions.js';

/** exp(x) / Σ exp(x) over the last axis. */
export function softmax(x: Tensor): Tensor {
  const y: Tensor = x.graph.node('Softmax', [x], x.shape, {
    attributes: { axis: -1 },
    pullbacks: [
      (dy) => {
        const weighted = multiply(dy, y);
        return subtract(weighted, multiply(y, sum(weighted, [-1], true)));
      },
    ],
  });
  return y;
}

/** Logarithm of {@link softmax}, exact where the softmax itself would round to 0. */
export function logSoftmax(x: Tensor): Tensor {
  const pullbacks: Pullback[] = [(dy) => subtract(dy, multiply(exp(y), sum(dy, [-1], true)))];
  const y: Tensor = x.graph.standardOps
    ? logSoftmaxInSteps(x, pullbacks)
    : x.graph.node('LogSoftmax', [x], x.shape, { attributes: { axis: -1 }, pullbacks });
  return y;
}

/** x - max - log Σ exp(x - max). */
function logSoftmaxInSteps(x: Tensor, pullbacks: readonly Pullback[]): Tensor {
  const axis = x.graph.constant([-1], [1], 'int64');
  const shifted = subtract(x, x.graph.node('ReduceMax', [x, axis], [...x.shape.slice(0, -1), 1]));
  const logSum = log(sum(exp(shifted), [-1], true));
  return x.graph.node('Sub', [shifted, logSum], x.shape, { through: [x], pullbacks });
}
