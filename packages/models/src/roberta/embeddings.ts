import { add, cast, embedding, layerNorm, multiply, normal, reshape, slice, type Tensor } from '@redef/autodiff';
import type { RobertaConfig } from '../config.js';
import { type BuildOptions, dropoutIn, normParameters } from '../layers.js';
import { isToken } from '../masks.js';

/** The tables of the embeddings; a decoder of the same model shares them. */
export interface RobertaTables {
  words: Tensor;
  positions: Tensor;
  types: Tensor;
  norm: [weight: Tensor, bias: Tensor];
}

/** Declares the tables under `prefix`. */
export function robertaTables({ graph }: Tensor, config: RobertaConfig, prefix: string): RobertaTables {
  const initialize = normal(config.initializer_range);
  const table = (name: string, rows: number) =>
    graph.parameter(`${prefix}embeddings.${name}.weight`, [rows, config.hidden_size], initialize);
  const words = table('word_embeddings', config.vocab_size);
  const positions = table('position_embeddings', config.max_position_embeddings);
  const types = table('token_type_embeddings', config.type_vocab_size);
  return { words, positions, types, norm: normParameters(words, `${prefix}embeddings.LayerNorm`) };
}

/**
 * Sum of word, position and type embeddings, normalized. Positions count the tokens from the padding id upwards, so
 * padding takes none. Shapes: ids (batch, length) int32 to (batch × length, hidden).
 */
export function robertaEmbeddings(
  ids: Tensor,
  { words, positions, types, norm }: RobertaTables,
  config: RobertaConfig,
  options: BuildOptions,
): Tensor {
  const { graph, shape } = ids;
  const tokens = cast(isToken(ids, config), 'int32');
  const counted = graph.node('CumSum', [tokens, graph.constant(1, [], 'int32')], shape);
  const positionIds = add(multiply(counted, tokens), config.pad_token_id);

  const firstType = slice(types, 0, 0, 1); // (1, hidden): all tokens are of type 0
  const sum = add(add(embedding(words, ids), embedding(positions, positionIds)), firstType);
  const rows = reshape(sum, [shape[0]! * shape[1]!, config.hidden_size]);
  return dropoutIn(options, layerNorm(rows, ...norm, config.layer_norm_eps), config.hidden_dropout_prob);
}
