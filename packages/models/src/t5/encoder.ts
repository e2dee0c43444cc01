import { embedding, type Graph, normal, reshape, type Tensor } from '@redef/autodiff';
import type { T5Config } from '../config.js';
import type { BuildOptions } from '../layers.js';
import { isToken, maskBias } from '../masks.js';
import { type T5Memory, t5Stack } from './stack.js';

/** The table of word embeddings that encoder, decoder and output share. */
export function t5Words(graph: Graph, config: T5Config): Tensor {
  return graph.parameter('shared.weight', [config.vocab_size, config.d_model], normal(config.initializer_factor));
}

/** Rows of the table, one a token: (batch, length) to (batch × length, d_model). */
export function embedTokens(words: Tensor, ids: Tensor): Tensor {
  return reshape(embedding(words, ids), [ids.shape[0]! * ids.shape[1]!, words.shape[1]!]);
}

/**
 * The T5 encoder. What equals the padding id is padding.
 *
 * @param ids (batch, length), int32
 * @param words {@link t5Words} where a decoder shares it; default: declared here
 */
export function t5Encoder(
  ids: Tensor,
  config: T5Config,
  { words = t5Words(ids.graph, config), ...options }: BuildOptions & { words?: Tensor } = {},
): T5Memory {
  const [batch, length] = ids.shape as [number, number];
  const bias = maskBias(reshape(isToken(ids, config), [batch, 1, 1, length]));
  const layers = config.num_layers;
  return {
    hidden: t5Stack(embedTokens(words, ids), bias, config, { ...options, batch, name: 'encoder', layers }),
    bias,
  };
}
