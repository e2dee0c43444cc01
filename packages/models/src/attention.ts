import { add, matmul, reshape, softmax, type Tensor, transpose } from '@redef/autodiff';
import { type BuildOptions, dropoutIn } from './layers.js';

export interface AttentionOptions extends BuildOptions {
  batch: number;
  heads: number;
  /** Factor of the scores: 1 / √(size of a head), or 1 in T5. */
  scale: number;
  /** Added to the scores, broadcast to (batch, heads, queries, keys). */
  bias: Tensor;
  /** Dropout on the attention weights. */
  dropoutRate: number;
}

/**
 * Multi-head attention (Vaswani et al., 2017) between its input and output projections.
 * Shapes: query (batch × queries, heads × size), key and value (batch × keys, heads × size), to the query's shape.
 */
export function attention(query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions): Tensor {
  const { batch, heads, scale, bias, dropoutRate } = options;
  const size = query.shape[1]! / heads;
  // (batch × length, heads × size) to (batch, heads, length, size)
  const split = (x: Tensor) => transpose(reshape(x, [batch, x.shape[0]! / batch, heads, size]), [0, 2, 1, 3]);

  const scores = add(matmul(split(query), split(key), { transposeB: true, scale }), bias); // (batch, heads, queries, keys)
  const weights = dropoutIn(options, softmax(scores), dropoutRate);
  const mixed = matmul(weights, split(value)); // (batch, heads, queries, size)
  return reshape(transpose(mixed, [0, 2, 1, 3]), query.shape);
}
