import { expect, test } from 'vitest';
import { parseConfig } from './config.js';

// The members of the public config.json files that matter here, and some that do not.
const codebert = {
  architectures: ['RobertaModel'],
  model_type: 'roberta',
  vocab_size: 50265,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  max_position_embeddings: 514,
  type_vocab_size: 1,
  hidden_act: 'gelu',
  bos_token_id: 0,
};
const codet5 = {
  model_type: 't5',
  vocab_size: 32100,
  d_model: 768,
  d_kv: 64,
  d_ff: 3072,
  num_heads: 12,
  num_layers: 12,
  num_decoder_layers: 12,
  feed_forward_proj: 'relu',
  n_positions: 512,
};

test('public configs are read, with the defaults of their architecture', () => {
  expect(parseConfig(codebert)).toMatchObject({ pad_token_id: 1, layer_norm_eps: 1e-5, hidden_dropout_prob: 0.1 });
  expect(parseConfig(codet5)).toMatchObject({ pad_token_id: 0, relative_attention_num_buckets: 32, dropout_rate: 0.1 });
});

test.each([
  [{ ...codebert, model_type: 'bert' }, /model_type/],
  [{ ...codebert, hidden_size: undefined }, /hidden_size/],
  [{ ...codebert, hidden_act: 'silu' }, /hidden_act/],
  [{ ...codebert, num_attention_heads: 7 }, /7 heads/],
  [{ ...codet5, feed_forward_proj: 'gated-gelu' }, /feed_forward_proj/],
  [{ ...codet5, dropout_rate: 1 }, /dropout_rate/],
  ['text', /config/],
])('another architecture is refused by the member that tells it', (config, message) => {
  expect(() => parseConfig(config)).toThrow(message);
});
