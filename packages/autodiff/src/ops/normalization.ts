import { shapeError } from '../errors.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, divide, multiply, subtract, sumTo } from './arithmetic.js';
import { sqrt } from './functions.js';
import { mean } from './reductions.js';

/**
 * Layer normalization over the last axis (Ba, Kiros and Hinton, 2016): (x - mean) / sqrt(variance + epsilon), times
 * `weight`, plus `bias`. The variance is the biased one. Weight and bias: (features).
 */
export function layerNorm(x: Tensor, weight: Tensor, bias: Tensor, epsilon = 1e-5): Tensor {
  checkFeatures('layerNorm', x, weight, bias);
  // On the CPU several times faster than ONNX Runtime's own op, and the gradient needs the parts.
  const centred = subtract(x, mean(x, [-1], true));
  const variance = mean(multiply(centred, centred), [-1], true);
  const inverseDeviation = divide(1, sqrt(add(variance, epsilon)));
  const normalized = multiply(centred, inverseDeviation);
  return {
    ...add(multiply(normalized, weight), bias),
    through: [x, weight, bias],
    pullbacks: [
      (dy) => {
        const dNormalized = multiply(dy, weight);
        const along = multiply(normalized, mean(multiply(dNormalized, normalized), [-1], true));
        const across = subtract(dNormalized, mean(dNormalized, [-1], true));
        return multiply(subtract(across, along), inverseDeviation);
      },
      (dy) => sumTo(multiply(dy, normalized), weight.shape),
      (dy) => sumTo(dy, bias.shape),
    ],
  };
}

/**
 * Root mean square normalization over the last axis (Zhang and Sennrich, 2019), as in T5: x / sqrt(mean(x²) + epsilon),
 * times `weight` (features). Nothing is subtracted and there is no bias.
 */
export function rmsNorm(x: Tensor, weight: Tensor, epsilon = 1e-6): Tensor {
  checkFeatures('rmsNorm', x, weight);
  return multiply(divide(x, sqrt(add(mean(multiply(x, x), [-1], true), epsilon))), weight);
}

function checkFeatures(op: string, x: Tensor, ...parameters: readonly Tensor[]): void {
  const features = x.shape.slice(-1);
  if (features.length === 0 || !parameters.every(({ shape }) => sameShape(shape, features))) {
    throw shapeError(op, [x, ...parameters], 'expected parameters of the size of the last axis');
  }
}
