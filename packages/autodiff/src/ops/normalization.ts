import { checkTypes, shapeError } from '../errors.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, divide, multiply, subtract } from './arithmetic.js';
import { sqrt } from './functions.js';
import { mean } from './reductions.js';

// In parts: on the CPU that is several times faster than ONNX Runtime's own LayerNormalization.

/**
 * Layer normalization over the last axis (Ba, Kiros and Hinton, 2016): (x - mean) / sqrt(variance + epsilon), times
 * `weight`, plus `bias`. The variance is the biased one. Weight and bias: (features).
 */
export function layerNorm(x: Tensor, weight: Tensor, bias: Tensor, epsilon = 1e-5): Tensor {
  checkFeatures('layerNorm', x, weight, bias);
  return add(multiply(toUnitSquares(centre(x), epsilon), weight), bias);
}

/**
 * Root mean square normalization over the last axis (Zhang and Sennrich, 2019), as in T5: x / sqrt(mean(x²) + epsilon),
 * times `weight` (features). Nothing is subtracted and there is no bias.
 */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon = 1e-6): Tensor {
  checkFeatures('rmsNorm', x, weight);
  return multiply(toUnitSquares(x, epsilon), weight);
}

/** Takes the mean away from each row: a projection, so its own gradient. */
function centre(x: Tensor): Tensor {
  return { ...subtract(x, mean(x, [-1], true)), through: [x], pullbacks: [centre] };
}

/** Divides each row by the root of the mean of its squares. */
function toUnitSquares(x: Tensor, epsilon: number): Tensor {
  const factor = divide(1, sqrt(add(mean(multiply(x, x), [-1], true), epsilon)));
  const y = multiply(x, factor);
  const pullback = (dy: Tensor) => multiply(subtract(dy, multiply(y, mean(multiply(dy, y), [-1], true))), factor);
  return { ...y, through: [x], pullbacks: [pullback] };
}

function checkFeatures(op: string, x: Tensor, ...parameters: readonly Tensor[]): void {
  checkTypes(op, [x, ...parameters]);
  const features = x.shape.slice(-1);
  if (features.length === 0 || !parameters.every(({ shape }) => sameShape(shape, features))) {
    throw shapeError(op, [x, ...parameters], 'expected parameters of the size of the last axis');
  }
}
