import { add, gelu, layerNorm, normal, reshape, slice, type Tensor } from '@redef/autodiff';
import { multiHeadAttention } from '../attention.js';
import type { RobertaConfig } from '../config.js';
import { type BuildOptions, dense, dropoutIn, normParameters, rateIn } from '../layers.js';
import { isToken, maskBias } from '../masks.js';
import { type RobertaTables, robertaEmbeddings, robertaTables } from './embeddings.js';

export interface RobertaEncoding {
  /** (batch × length, hidden); of the first tokens alone, where only they were asked for: (batch, hidden). */
  hidden: Tensor;
  /** (batch, 1, 1, length): hides padding from attention. */
  paddingBias: Tensor;
  tables: RobertaTables;
}

/**
 * The RoBERTa encoder (Liu et al., 2019). What equals the padding id is padding, as in the published fine-tuning scripts.
 *
 * @param ids (batch, length), int32; length at most `max_position_embeddings - pad_token_id - 1`
 * @param prefix of the weights' names: `roberta.` in a classifier
 * @param firstOnly computes the last layer for the first token of each input alone: all that a head on it depends on, and
 * most of that layer's work less
 */
export function robertaEncoder(
  ids: Tensor,
  config: RobertaConfig,
  options: BuildOptions & { prefix?: string; firstOnly?: boolean } = {},
): RobertaEncoding {
  const { prefix = 'roberta.', firstOnly = false } = options;
  const [batch, length] = ids.shape as [number, number];
  const { hidden_size: width, num_attention_heads: heads } = config;
  const initialize = normal(config.initializer_range);
  const drop = (x: Tensor) => dropoutIn(options, x, config.hidden_dropout_prob);
  const norm = (x: Tensor, name: string) => layerNorm(x, ...normParameters(x, name), config.layer_norm_eps);
  const firsts = (x: Tensor) => reshape(slice(reshape(x, [batch, length, width]), 1, 0, 1), [batch, width]);

  const tables = robertaTables(ids, config, prefix);
  const paddingBias = maskBias(reshape(isToken(ids, config), [batch, 1, 1, length]));
  let x = robertaEmbeddings(ids, tables, config, options);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `${prefix}encoder.layer.${layer}`;
    const project = (from: Tensor, part: string) => dense(from, `${name}.attention.self.${part}`, width, initialize);
    const asking = firstOnly && layer === config.num_hidden_layers - 1 ? firsts(x) : x;
    const mixed = multiHeadAttention(project(asking, 'query'), project(x, 'key'), project(x, 'value'), {
      batch,
      heads,
      bias: paddingBias,
      dropoutRate: rateIn(options, config.attention_probs_dropout_prob),
    });
    const attended = drop(dense(mixed, `${name}.attention.output.dense`, width, initialize));
    x = norm(add(attended, asking), `${name}.attention.output.LayerNorm`);

    const inner = gelu(dense(x, `${name}.intermediate.dense`, config.intermediate_size, initialize));
    x = norm(add(drop(dense(inner, `${name}.output.dense`, width, initialize)), x), `${name}.output.LayerNorm`);
  }
  return { hidden: x, paddingBias, tables };
}
