import { checkTypes } from '../errors.js';
import type { Tensor } from '../tensor.js';
import { multiply, subtract } from './arithmetic.js';
import { exp } from './functions.js';
import { sum } from './reductions.js';

/** exp(x) / Σ exp(x) over the last axis. */
export function softmax(x: Tensor): Tensor {
  checkTypes('softmax', [x]);
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
  checkTypes('logSoftmax', [x]);
  const y: Tensor = x.graph.node('LogSoftmax', [x], x.shape, {
    attributes: { axis: -1 },
    pullbacks: [(dy) => subtract(dy, multiply(exp(y), sum(dy, [-1], true)))],
  });
  return y;
}
