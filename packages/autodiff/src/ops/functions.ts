import { checkTypes, numbers } from '../errors.js';
import type { Tensor } from '../tensor.js';
import { add, divide, multiply, subtract } from './arithmetic.js';
import { keepWhere } from './selection.js';

// Elementwise functions of one tensor.

export function exp(x: Tensor): Tensor {
  checkTypes('exp', [x]);
  const y: Tensor = x.graph.node('Exp', [x], x.shape, { pullbacks: [(dy) => multiply(dy, y)] });
  return y;
}

/** Natural logarithm. */
export function log(x: Tensor): Tensor {
  checkTypes('log', [x]);
  return x.graph.node('Log', [x], x.shape, { pullbacks: [(dy) => divide(dy, x)] });
}

export function sqrt(x: Tensor): Tensor {
  checkTypes('sqrt', [x]);
  const y: Tensor = x.graph.node('Sqrt', [x], x.shape, { pullbacks: [(dy) => divide(dy, multiply(y, 2))] });
  return y;
}

/** Absolute value; its gradient at 0 is 0. */
export function abs(x: Tensor): Tensor {
  checkTypes('abs', [x], numbers);
  return x.graph.node('Abs', [x], x.shape, {
    pullbacks: [(dy) => multiply(dy, x.graph.node('Sign', [x], x.shape))],
  });
}

export function tanh(x: Tensor): Tensor {
  checkTypes('tanh', [x]);
  const y: Tensor = x.graph.node('Tanh', [x], x.shape, {
    pullbacks: [(dy) => multiply(dy, subtract(1, multiply(y, y)))],
  });
  return y;
}

/** 1 / (1 + exp(-x)). */
export function sigmoid(x: Tensor): Tensor {
  checkTypes('sigmoid', [x]);
  const y: Tensor = x.graph.node('Sigmoid', [x], x.shape, {
    pullbacks: [(dy) => multiply(dy, multiply(y, subtract(1, y)))],
  });
  return y;
}

/** max(x, 0); its gradient at 0 is 0, as PyTorch's. */
export function relu(x: Tensor): Tensor {
  checkTypes('relu', [x]);
  const y: Tensor = x.graph.node('Relu', [x], x.shape, {
    pullbacks: [(dy) => keepWhere(y.graph.node('Greater', [y, y.graph.constant(0)], y.shape, { dtype: 'bool' }), dy)],
  });
  return y;
}

/**
 * Gaussian error linear unit, x Φ(x), in its exact form (Hendrycks and Gimpel, 2016). Its derivative is Φ(x) + x φ(x),
 * with Φ and φ the distribution and density of the standard normal.
 */
export function gelu(x: Tensor): Tensor {
  checkTypes('gelu', [x]);
  return x.graph.node('Gelu', [x], x.shape, {
    pullbacks: [
      (dy) => {
        const u = multiply(x, Math.SQRT1_2);
        const erf = x.graph.node('Erf', [u], x.shape);
        const distribution = x.graph.node('HardSigmoid', [erf], x.shape, {
          attributes: { alpha: { float: 0.5 }, beta: { float: 0.5 } }, // (1 + erf) / 2 in one pass
        });
        const timesDensity = multiply(u, exp(subtract(-Math.log(Math.PI) / 2, multiply(u, u)))); // u exp(-u²) / √π
        return multiply(dy, add(distribution, timesDensity));
      },
    ],
  });
}
