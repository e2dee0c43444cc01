import { shapeError } from '../errors.js';
import { sameShape } from '../shape.js';
import { shared, type Tensor } from '../tensor.js';
import { again } from './again.js';
import { add, multiply, subtract, sumTo } from './arithmetic.js';
import { dropoutMask } from './dropout.js';
import { matmul } from './products.js';
import { sum } from './reductions.js';
import { keepWhere } from './selection.js';
import { softmax } from './softmax.js';

export interface AttentionOptions {
  /** Factor of the scores. Default 1 / √size. */
  scale?: number;
  /** Added to the scores; broadcast to (..., queries, keys). */
  bias?: Tensor;
  /** Dropout on the attention weights. Default 0. */
  dropoutRate?: number;
  /**
   * Computes the weights anew in the backward pass instead of keeping them: less memory, a few percent more time, the same
   * bits. Default: with more than 4 × size keys, where the weights are larger than all else that attention keeps.
   */
  recompute?: boolean;
}

/**
 * Scaled dot-product attention (Vaswani et al., 2017): softmax(q kᵀ scale + bias) v.
 * Shapes: query (..., queries, size), key and value (..., keys, size) to (..., queries, size).
 */
export function attention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  {
    scale = 1 / Math.sqrt(query.shape.at(-1) ?? 1),
    bias,
    dropoutRate = 0,
    recompute = key.shape.at(-2)! > 4 * key.shape.at(-1)!,
  }: AttentionOptions = {},
): Tensor {
  if (!sameShape(key.shape, value.shape)) {
    throw shapeError('attention', [query, key, value], 'expected key and value of one shape');
  }
  const mask = dropoutMask(query.graph, [...query.shape.slice(0, -1), key.shape.at(-2)!], dropoutRate);
  const weigh = (query: Tensor, after?: Tensor) => {
    const scores = matmul(query, key, { transposeB: true, scale }); // (..., queries, keys)
    const weights = softmax(bias ? add(scores, bias) : scores);
    const kept = mask?.kept(after);
    const drop = (x: Tensor) => (kept ? keepWhere(kept, x) : x);
    return { weights, used: drop(weights), drop };
  };
  const keptScale = mask?.scale ?? 1;
  const forward = weigh(query);
  const output = matmul(forward.used, value, { scale: keptScale });

  const weighed = shared((dy) => (recompute ? weigh(again(query, dy), dy) : forward));
  const scoreGradient = shared((dy) => {
    const { weights, drop } = weighed(dy);
    const dWeights = drop(matmul(dy, value, { transposeB: true, scale: keptScale }));
    // The same sum is also that of output × dy (Dao et al., 2022), in fewer passes; but rounding then leaves a rest over all
    // keys that costs the gradient of the key's layer a digit.
    return multiply(weights, subtract(dWeights, sum(multiply(weights, dWeights), [-1], true)));
  });
  return {
    ...output,
    through: [query, key, value, ...(bias ? [bias] : [])],
    pullbacks: [
      (dy) => matmul(scoreGradient(dy), key, { scale }),
      (dy) => matmul(scoreGradient(dy), query, { transposeA: true, scale }),
      (dy) => matmul(weighed(dy).used, dy, { transposeA: true, scale: keptScale }),
      ...(bias ? [(dy: Tensor) => sumTo(scoreGradient(dy), bias.shape)] : []),
    ],
  };
}
