import { type Graph, notEqual, type Tensor, where } from '@redef/autodiff';

/** Number added to the scores of positions that must not be seen: the softmax makes it an exact 0. */
const unseen = -1e9;

/** True where an id is a token, false where it is padding: (batch, length), bool. */
export function isToken(ids: Tensor, { pad_token_id }: { pad_token_id: number }): Tensor {
  return notEqual(ids, pad_token_id);
}

/** True where a key is not after the query: (1, 1, length, length), bool. */
export function causalMask(graph: Graph, length: number): Tensor {
  const visible = Array.from({ length: length * length }, (_, index) =>
    index % length <= Math.floor(index / length) ? 1 : 0,
  );
  return graph.constant(visible, [1, 1, length, length], 'bool');
}

/** Bias on attention scores that hides what `visible` (bool, broadcast to (batch, heads, queries, keys)) leaves out. */
export function maskBias(visible: Tensor): Tensor {
  return where(visible, visible.graph.constant(0), unseen);
}
