import { add, gelu, layerNorm, normal, reshape, type Tensor } from '@redef/autodiff';
import { multiHeadAttention } from '../attention.js';
import type { RobertaConfig } from '../config.js';
import { type BuildOptions, dense, dropoutIn, normParameters, rateIn } from '../layers.js';
import { isToken, maskBias } from '../masks.js';
import { type RobertaTables, robertaEmbeddings, robertaTables } from './embeddings.js';

export interface RobertaEncoding {
  /** (batch × length, hidden). */
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
 */
export function robertaEncoder(
  ids: Tensor,
  config: RobertaConfig,
  options: BuildOptions & { prefix?: string } = {},
): RobertaEncoding {
  const { prefix = 'roberta.' } = options;
  const [batch, length] = ids.shape as [number, number];
  const { hidden_size: width, num_attention_heads: heads } = config;
  const initialize = normal(config.initializer_range);
  const drop = (x: Tensor) => dropoutIn(options, x, config.hidden_dropout_prob);
  const norm = (x: Tensor, name: string) => layerNorm(x, ...normParameters(x, name), config.layer_norm_eps);

  const tables = robertaTables(ids, config, prefix);
  const paddingBias = maskBias(reshape(isToken(ids, config), [batch, 1, 1, length]));
  let x = robertaEmbeddings(ids, tables, config, options);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `${prefix}encoder.layer.${layer}`;
    const projected = (part: string) => dense(x, `${name}.attention.self.${part}`, width, initialize);
    const mixed = multiHeadAttention(projected('query'), projected('key'), projected('value'), {
      batch,
      heads,
      bias: paddingBias,
      dropoutRate: rateIn(options, config.attention_probs_dropout_prob),
    });
    const attended = drop(dense(mixed, `${name}.attention.output.dense`, width, initialize));
    x = norm(add(attended, x), `${name}.attention.output.LayerNorm`);

    const inner = gelu(dense(x, `${name}.intermediate.dense`, config.intermediate_size, initialize));
    x = norm(add(drop(dense(inner, `${name}.output.dense`, width, initialize)), x), `${name}.output.LayerNorm`);
  }
  return { hidden: x, paddingBias, tables };
}
