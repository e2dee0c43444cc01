import { linear, multiply, normal, type Tensor } from '@redef/autodiff';
import type { T5Config } from '../config.js';
import type { BuildOptions } from '../layers.js';
import { causalMask, maskBias } from '../masks.js';
import { embedTokens, t5Encoder, t5Words } from './encoder.js';
import { t5Stack } from './stack.js';

/**
 * T5 with its decoder and language model head (`T5ForConditionalGeneration`).
 *
 * @param sourceIds (batch, source length), int32
 * @param targetIds (batch, target length), int32: the decoder's input, the target moved right by one behind
 * `decoder_start_token_id`
 * @returns logits (batch × target length, vocabulary): row `t` predicts target token `t`
 */
export function t5Seq2Seq(sourceIds: Tensor, targetIds: Tensor, config: T5Config, options: BuildOptions = {}): Tensor {
  const { graph } = sourceIds;
  const [batch, length] = targetIds.shape as [number, number];
  const words = t5Words(graph, config);
  const memory = t5Encoder(sourceIds, config, { ...options, words });
  const hidden = t5Stack(embedTokens(words, targetIds), maskBias(causalMask(graph, length)), config, {
    ...options,
    batch,
    name: 'decoder',
    layers: config.num_decoder_layers ?? config.num_layers,
    memory,
  });
  if (config.tie_word_embeddings) return linear(multiply(hidden, config.d_model ** -0.5), words);
  const head = graph.parameter('lm_head.weight', words.shape, normal(config.initializer_factor));
  return linear(hidden, head);
}
