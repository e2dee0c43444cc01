import {
  add,
  embedding,
  type Graph,
  linear,
  multiply,
  normal,
  ones,
  relu,
  reshape,
  rmsNorm,
  type Tensor,
  transpose,
} from '@redef/autodiff';
import type { T5Config } from '../config.js';
import {
  attendToPast,
  attendToSource,
  type CachedDecoder,
  type CacheSizes,
  reshapeBy,
  type StepInputs,
} from '../decoding/decoder-cache.js';
import { t5Encoder, t5Words } from './encoder.js';
import { relativePositionBucket } from './relative-position.js';

/** {@link t5Seq2Seq} for decoding with a cache: the same weights, under the same names. */
export function t5CachedDecoder(config: T5Config): CachedDecoder {
  const { d_model: width, num_heads: heads, d_kv: headSize, layer_norm_epsilon: epsilon } = config;
  const layers = config.num_decoder_layers ?? config.num_layers;
  const sizes: CacheSizes = { layers, heads, headSize };
  const inner = heads * headSize;
  const factor = config.initializer_factor;
  const project = (x: Tensor, name: string, outputs: number) =>
    linear(x, x.graph.parameter(`${name}.weight`, [outputs, x.shape[1]!], normal(factor * x.shape[1]! ** -0.5)));
  const norm = (x: Tensor, name: string) => rmsNorm(x, x.graph.parameter(`${name}.weight`, [width], ones), epsilon);

  return {
    ...sizes,
    vocabularySize: config.vocab_size,
    paddingToken: config.pad_token_id,

    encode(sourceIds) {
      const [batch, length] = sourceIds.shape as [number, number];
      const { hidden, bias } = t5Encoder(sourceIds, config);
      const parts = (part: string) =>
        Array.from({ length: layers }, (_, layer) => {
          const rows = project(hidden, `decoder.block.${layer}.layer.1.EncDecAttention.${part}`, inner);
          return transpose(reshape(rows, [batch, length, heads, headSize]), [0, 2, 1, 3]);
        });
      return { keys: parts('k'), values: parts('v'), bias };
    },

    step(inputs) {
      const { graph } = inputs.tokens;
      const words = t5Words(graph, config);
      const bias = add(positionBias(graph, inputs, config), inputs.visible); // (samples, heads, beams, slots + beams)
      const keys: Tensor[] = [];
      const values: Tensor[] = [];
      let x = embedding(words, inputs.tokens); // (rows, d_model)
      for (let layer = 0; layer < layers; layer++) {
        const part = (number: number) => `decoder.block.${layer}.layer.${number}`;
        const own = `${part(0)}.SelfAttention`;
        const normed = norm(x, `${part(0)}.layer_norm`);
        const [q, k, v] = ['q', 'k', 'v'].map((name) => project(normed, `${own}.${name}`, inner));
        const past = attendToPast([q!, k!, v!], inputs, sizes, { layer, scale: 1, bias });
        keys.push(past.keys);
        values.push(past.values);
        x = add(x, project(past.mixed, `${own}.o`, width));

        const cross = `${part(1)}.EncDecAttention`;
        const query = project(norm(x, `${part(1)}.layer_norm`), `${cross}.q`, inner);
        x = add(x, project(attendToSource(query, inputs, sizes, { layer, scale: 1 }), `${cross}.o`, width));

        const feed = `${part(2)}.DenseReluDense`;
        const expanded = relu(project(norm(x, `${part(2)}.layer_norm`), `${feed}.wi`, config.d_ff));
        x = add(x, project(expanded, `${feed}.wo`, width));
      }
      const hidden = norm(x, 'decoder.final_layer_norm');
      const logits = config.tie_word_embeddings
        ? linear(multiply(hidden, width ** -0.5), words)
        : project(hidden, 'lm_head', config.vocab_size);
      return { logits, keys, values };
    },
  };
}

/** The learnt bias of each head by how long ago a slot was fed: (samples, heads, 1, slots + beams). */
function positionBias(graph: Graph, { distances }: StepInputs, config: T5Config): Tensor {
  const { num_heads: heads, relative_attention_num_buckets: buckets } = config;
  const name = 'decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight';
  const table = graph.parameter(name, [buckets, heads], normal(config.initializer_factor * config.d_model ** -0.5));
  const maxDistance = config.relative_attention_max_distance; // from here on all are in the last bucket
  const bucketOf = Array.from({ length: maxDistance + 1 }, (_, distance) =>
    relativePositionBucket(-distance, { bidirectional: false, buckets, maxDistance }),
  );
  const perDistance = embedding(table, graph.constant(bucketOf, [bucketOf.length], 'int32')); // (distances, heads)
  const clipped = graph.node('Min', [distances, graph.constant(maxDistance, [], 'int32')], distances.shape);
  const perSlot = transpose(embedding(perDistance, clipped)); // (samples, heads, slots + beams)
  return reshapeBy(perSlot, [0, heads, 1, -1], [perSlot.shape[0]!, heads, 1, perSlot.shape[2]!]);
}
