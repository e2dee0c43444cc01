import { RedefError } from '@redef/core';
import * as v from 'valibot';

// The members of a checkpoint's config.json that change what is computed, under the names they have there.

const size = v.pipe(v.number(), v.integer(), v.minValue(1));
const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const rate = v.pipe(v.number(), v.minValue(0), v.ltValue(1));
const aboveZero = v.pipe(v.number(), v.finite(), v.gtValue(0));
const notNegative = v.pipe(v.number(), v.finite(), v.minValue(0));
/** Weights are then integers and factors. */
const quantization_config = v.nullish(v.never());

export const robertaConfigSchema = v.object({
  model_type: v.literal('roberta'),
  vocab_size: size,
  hidden_size: size,
  num_hidden_layers: size,
  num_attention_heads: size,
  intermediate_size: size,
  /** Two more than the longest input: positions start after the padding id. */
  max_position_embeddings: size,
  type_vocab_size: v.optional(size, 1),
  pad_token_id: v.optional(index, 1),
  layer_norm_eps: v.optional(aboveZero, 1e-5),
  hidden_dropout_prob: v.optional(rate, 0.1),
  attention_probs_dropout_prob: v.optional(rate, 0.1),
  /** Of the classification head. Absent: `hidden_dropout_prob`. */
  classifier_dropout: v.nullish(rate),
  initializer_range: v.optional(notNegative, 0.02),
  hidden_act: v.optional(v.literal('gelu'), 'gelu'),
  position_embedding_type: v.optional(v.literal('absolute')),
  is_decoder: v.optional(v.literal(false)),
  add_cross_attention: v.optional(v.literal(false)),
  quantization_config,
});
/** RoBERTa: CodeBERT, GraphCodeBERT, UniXcoder. */
export type RobertaConfig = v.InferOutput<typeof robertaConfigSchema>;

export const t5ConfigSchema = v.object({
  model_type: v.literal('t5'),
  vocab_size: size,
  d_model: size,
  /** Size of one head; heads × d_kv need not be d_model. */
  d_kv: size,
  d_ff: size,
  num_heads: size,
  num_layers: size,
  num_decoder_layers: v.optional(size),
  relative_attention_num_buckets: v.optional(size, 32),
  relative_attention_max_distance: v.optional(size, 128),
  pad_token_id: v.optional(index, 0),
  decoder_start_token_id: v.optional(index, 0),
  layer_norm_epsilon: v.optional(aboveZero, 1e-6),
  dropout_rate: v.optional(rate, 0.1),
  initializer_factor: v.optional(notNegative, 1),
  feed_forward_proj: v.optional(v.literal('relu'), 'relu'),
  dense_act_fn: v.optional(v.literal('relu')),
  is_gated_act: v.optional(v.literal(false)),
  quantization_config,
  tie_word_embeddings: v.optional(v.boolean(), true),
});
/** T5: CodeT5 and the 220M model of CodeT5+. */
export type T5Config = v.InferOutput<typeof t5ConfigSchema>;

export type ModelConfig = RobertaConfig | T5Config;

/** Most tokens of one input, special tokens included; `Infinity` for T5, whose positions are relative. */
export function maxInputTokens(config: ModelConfig): number {
  return config.model_type === 't5' ? Infinity : config.max_position_embeddings - config.pad_token_id - 1;
}

/**
 * Checks a parsed `config.json`.
 *
 * @param where names it in errors
 * @throws `RedefError` `unsupported-model` where the architecture, or a variant of it, is not one of ours
 */
export function parseConfig(json: unknown, where = 'config.json'): ModelConfig {
  const result = v.safeParse(v.variant('model_type', [robertaConfigSchema, t5ConfigSchema]), json);
  if (!result.success) {
    const [issue] = result.issues;
    throw unsupported(`${where}: ${v.getDotPath(issue) ?? 'config'}: ${issue.message}`);
  }
  const config = result.output;
  if (config.model_type === 'roberta' && config.hidden_size % config.num_attention_heads > 0) {
    throw unsupported(
      `${where}: hidden_size ${config.hidden_size} does not divide into ${config.num_attention_heads} heads`,
    );
  }
  return config;
}

function unsupported(message: string): RedefError {
  return new RedefError(message, {
    code: 'unsupported-model',
    remedy:
      'Use a RoBERTa checkpoint (gelu) or a T5 one (relu): CodeBERT, GraphCodeBERT, UniXcoder, CodeT5, CodeT5+ 220M.',
  });
}
