import { type AttentionOptions, attention, reshape, type Tensor, transpose } from '@redef/autodiff';

export interface MultiHeadOptions extends AttentionOptions {
  batch: number;
  heads: number;
}

/**
 * Multi-head attention (Vaswani et al., 2017) between its input and output projections.
 * Shapes: query (batch × queries, heads × size), key and value (batch × keys, heads × size), to the query's shape.
 */
export function multiHeadAttention(query: Tensor, key: Tensor, value: Tensor, options: MultiHeadOptions): Tensor {
  const { batch, heads } = options;
  const size = query.shape[1]! / heads;
  // (batch × length, heads × size) to (batch, heads, length, size)
  const split = (x: Tensor) => transpose(reshape(x, [batch, x.shape[0]! / batch, heads, size]), [0, 2, 1, 3]);
  const mixed = attention(split(query), split(key), split(value), options); // (batch, heads, queries, size)
  return reshape(transpose(mixed, [0, 2, 1, 3]), query.shape);
}
