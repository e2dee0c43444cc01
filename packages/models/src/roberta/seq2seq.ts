import {
  add,
  type Graph,
  layerNorm,
  linear,
  normal,
  relu,
  slice,
  type Tensor,
  tanh,
  uniform,
  zeros,
} from '@redef/autodiff';
import { type MultiHeadOptions, multiHeadAttention } from '../attention.js';
import type { RobertaConfig } from '../config.js';
import { type BuildOptions, dense, dropoutIn, normParameters, rateIn } from '../layers.js';
import { causalMask, maskBias } from '../masks.js';
import { robertaEmbeddings } from './embeddings.js';
import { robertaEncoder } from './encoder.js';

export interface RobertaSeq2SeqOptions extends BuildOptions {
  /** Default 6. */
  decoderLayers?: number;
}

/** Fixed by the published repair models: the defaults of PyTorch's `TransformerDecoderLayer`. */
export const decoder = { feedForward: 2048, dropout: 0.1, epsilon: 1e-5 };

/**
 * A RoBERTa encoder and a post-norm Transformer decoder, as the published fine-tuning scripts of CodeBERT,
 * GraphCodeBERT and UniXcoder build it for code refinement. The decoder embeds its input with the encoder's tables; the
 * logits are tanh(dense(x)) against the word embeddings, without bias. Names are those scripts' own.
 *
 * @param sourceIds (batch, source length), int32
 * @param targetIds (batch, target length), int32: the decoder's input
 * @returns logits (batch × target length, vocabulary): row `t` of a sequence predicts its token `t + 1`
 */
export function robertaSeq2Seq(
  sourceIds: Tensor,
  targetIds: Tensor,
  config: RobertaConfig,
  { decoderLayers = 6, ...options }: RobertaSeq2SeqOptions = {},
): Tensor {
  const { graph } = sourceIds;
  const [batch, targetLength] = targetIds.shape as [number, number];
  const { hidden_size: width, num_attention_heads: heads } = config;
  const { hidden: memory, paddingBias, tables } = robertaEncoder(sourceIds, config, { ...options, prefix: 'encoder.' });
  const causalBias = maskBias(causalMask(graph, targetLength));
  const drop = (x: Tensor) => dropoutIn(options, x, decoder.dropout);
  const norm = (x: Tensor, name: string) => layerNorm(x, ...normParameters(x, name), decoder.epsilon);
  const toUniform = uniform(Math.sqrt(6 / (width + decoder.feedForward)));
  const shared = { batch, heads, dropoutRate: rateIn(options, decoder.dropout) };

  let x = robertaEmbeddings(targetIds, tables, config, options);
  for (let layer = 0; layer < decoderLayers; layer++) {
    const name = `decoder.layers.${layer}`;
    const own = multiheadAttention(x, x, `${name}.self_attn`, { ...shared, bias: causalBias });
    x = norm(add(x, drop(own)), `${name}.norm1`);
    const cross = multiheadAttention(x, memory, `${name}.multihead_attn`, { ...shared, bias: paddingBias });
    x = norm(add(x, drop(cross)), `${name}.norm2`);
    const inner = drop(relu(dense(x, `${name}.linear1`, decoder.feedForward, toUniform)));
    x = norm(add(x, drop(dense(inner, `${name}.linear2`, width, toUniform))), `${name}.norm3`);
  }
  const projected = tanh(dense(x, 'dense', width, normal(config.initializer_range)));
  return linear(projected, tables.words);
}

/** PyTorch's `MultiheadAttention`: the three input projections are one matrix, rows query, key, value. */
function multiheadAttention(x: Tensor, memory: Tensor, name: string, options: MultiHeadOptions): Tensor {
  const graph: Graph = x.graph;
  const width = x.shape[1]!;
  const bound = Math.sqrt(6 / (4 * width));
  const weight = graph.parameter(`${name}.in_proj_weight`, [3 * width, width], uniform(bound));
  const bias = graph.parameter(`${name}.in_proj_bias`, [3 * width], zeros);
  const project = (input: Tensor, part: number) =>
    linear(input, slice(weight, 0, part * width, (part + 1) * width), slice(bias, 0, part * width, (part + 1) * width));
  const mixed = multiHeadAttention(project(x, 0), project(memory, 1), project(memory, 2), options);
  return dense(mixed, `${name}.out_proj`, width, uniform(1 / Math.sqrt(width)));
}
