import { shapeError } from '../errors.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { add, divide, multiply, subtract, sumTo } from './arithmetic.js';
import { sqrt } from './functions.js';
import { mean } from './reductions.js';
import { cast } from './selection.js';

/**
 * Layer normalization over the last axis (Ba, Kiros and Hinton, 2016): (x - mean) / sqrt(variance + epsilon), times
 * `weight`, plus `bias`. The variance is the biased one. Weight and bias: (features).
 */
export function layerNorm(x: Tensor, weight: Tensor, bias: Tensor, epsilon = 1e-5): Tensor {
  checkFeatures('layerNorm', x, weight, bias);
  const perRow = { dtype: 'float32' as const, shape: [...x.shape.slice(0, -1), 1] }; // whatever the type of x
  const [y, average, inverseDeviation] = x.graph.nodeWithOutputs(
    'LayerNormalization',
    [x, weight, bias],
    [{ dtype: x.dtype, shape: x.shape }, perRow, perRow],
    {
      attributes: { axis: -1, epsilon: { float: epsilon } },
      pullbacks: [
        (dy) => {
          const dNormalized = multiply(dy, weight);
          const centred = subtract(dNormalized, mean(dNormalized, [-1], true));
          const along = multiply(normalized(), mean(multiply(dNormalized, normalized()), [-1], true));
          return multiply(subtract(centred, along), cast(inverseDeviation!, x.dtype));
        },
        (dy) => sumTo(multiply(dy, normalized()), weight.shape),
        (dy) => sumTo(dy, bias.shape),
      ],
    },
  );
  // Written anew at each use: ONNX Runtime merges equal nodes.
  const normalized = () => multiply(subtract(x, cast(average!, x.dtype)), cast(inverseDeviation!, x.dtype));
  return y!;
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
