import { compile, Graph } from '@redef/autodiff';
import { expect, test } from 'vitest';
import { maxInputTokens, parseConfig, type RobertaConfig } from './config.js';
import { robertaClassifier } from './roberta/classifier.js';

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

test('as many tokens are read as there are positions behind the padding id', () => {
  expect(maxInputTokens(parseConfig(codebert))).toBe(512);
  expect(maxInputTokens(parseConfig({ ...codebert, max_position_embeddings: 1026 }))).toBe(1024); // UniXcoder
  expect(maxInputTokens(parseConfig(codet5))).toBe(Infinity);
});

test('members that say what the network does anyway are taken', () => {
  const said = { position_embedding_type: 'absolute', is_decoder: false, quantization_config: null };
  expect(parseConfig({ ...codebert, ...said, classifier_dropout: null })).toMatchObject(said);
  expect(parseConfig({ ...codet5, dense_act_fn: 'relu', is_gated_act: false })).toMatchObject({ dense_act_fn: 'relu' });
});

test('classifier_dropout is that of the head alone', () => {
  const keptOf = (members: object) => {
    const config = { ...codebert, hidden_size: 4, num_attention_heads: 2, num_hidden_layers: 1, ...members };
    const ids = new Graph().input('ids', [2, 8], 'int32');
    const logits = robertaClassifier(ids, parseConfig(config) as RobertaConfig, { training: true });
    const numbers = compile({ logits }).graph.constants.filter(
      ({ dtype, shape }) => dtype === 'int32' && !shape.length,
    );
    return numbers.map(({ data }) => Number(data[0]) / 2 ** 16);
  };
  expect(keptOf({})).not.toContain(0.5);
  expect(keptOf({ classifier_dropout: 0.5 })).toEqual([0.5, ...keptOf({})]);
});

test.each([
  [{ ...codebert, model_type: 'bert' }, /model_type/],
  [{ ...codebert, hidden_size: undefined }, /hidden_size/],
  [{ ...codebert, hidden_act: 'silu' }, /hidden_act/],
  [{ ...codebert, num_attention_heads: 7 }, /7 heads/],
  [{ ...codebert, position_embedding_type: 'relative_key' }, /position_embedding_type/],
  [{ ...codebert, is_decoder: true }, /is_decoder/],
  [{ ...codebert, add_cross_attention: true }, /add_cross_attention/],
  [{ ...codebert, quantization_config: { bits: 8 } }, /quantization_config/],
  [{ ...codebert, layer_norm_eps: -1 }, /layer_norm_eps/],
  [{ ...codebert, layer_norm_eps: 0 }, /layer_norm_eps/],
  [{ ...codebert, initializer_range: -1 }, /initializer_range/],
  [{ ...codebert, classifier_dropout: 1 }, /classifier_dropout/],
  [{ ...codet5, dense_act_fn: 'gelu_new' }, /dense_act_fn/],
  [{ ...codet5, is_gated_act: true }, /is_gated_act/],
  [{ ...codet5, quantization_config: { bits: 8 } }, /quantization_config/],
  [{ ...codet5, layer_norm_epsilon: -1 }, /layer_norm_epsilon/],
  [{ ...codet5, feed_forward_proj: 'gated-gelu' }, /feed_forward_proj/],
  [{ ...codet5, dropout_rate: 1 }, /dropout_rate/],
  ['text', /config/],
])('another architecture is refused by the member that tells it', (config, message) => {
  expect(() => parseConfig(config)).toThrow(message);
});
