import {
  add,
  embedding,
  layerNorm,
  linear,
  normal,
  relu,
  reshape,
  slice,
  type Tensor,
  tanh,
  transpose,
  uniform,
  zeros,
} from '@redef/autodiff';
import type { RobertaConfig } from '../config.js';
import { attendToPast, attendToSource, type CachedDecoder, type CacheSizes } from '../decoding/decoder-cache.js';
import { dense, normParameters } from '../layers.js';
import { robertaTables } from './embeddings.js';
import { robertaEncoder } from './encoder.js';
import { decoder } from './seq2seq.js';

/** {@link robertaSeq2Seq} for decoding with a cache: the same weights, under the same names. */
export function robertaCachedDecoder(config: RobertaConfig, { decoderLayers: layers = 6 } = {}): CachedDecoder {
  const { hidden_size: width, num_attention_heads: heads } = config;
  const sizes: CacheSizes = { layers, heads, headSize: width / heads };
  const scale = 1 / Math.sqrt(sizes.headSize);
  const norm = (x: Tensor, name: string) => layerNorm(x, ...normParameters(x, name), decoder.epsilon);
  const toUniform = uniform(Math.sqrt(6 / (width + decoder.feedForward)));
  const attentionName = (layer: number, kind: 'self_attn' | 'multihead_attn') => `decoder.layers.${layer}.${kind}`;
  const inProjection = ({ graph }: Tensor, name: string) => {
    const weight = graph.parameter(`${name}.in_proj_weight`, [3 * width, width], uniform(Math.sqrt(6 / (4 * width))));
    return { weight, bias: graph.parameter(`${name}.in_proj_bias`, [3 * width], zeros) };
  };
  const outProjection = (x: Tensor, name: string) => dense(x, `${name}.out_proj`, width, uniform(1 / Math.sqrt(width)));
  /** One of the three projections, which are one matrix: rows query, key, value. */
  const projectPart = (x: Tensor, name: string, part: number) => {
    const { weight, bias } = inProjection(x, name);
    const [start, end] = [part * width, (part + 1) * width];
    return linear(x, slice(weight, 0, start, end), slice(bias, 0, start, end));
  };

  return {
    ...sizes,
    vocabularySize: config.vocab_size,
    paddingToken: config.pad_token_id,

    encode(sourceIds) {
      const [batch, length] = sourceIds.shape as [number, number];
      const { hidden, paddingBias } = robertaEncoder(sourceIds, config, { prefix: 'encoder.' });
      const keys: Tensor[] = [];
      const values: Tensor[] = [];
      for (let layer = 0; layer < layers; layer++) {
        const { weight, bias } = inProjection(hidden, attentionName(layer, 'multihead_attn'));
        const both = linear(hidden, slice(weight, 0, width, 3 * width), slice(bias, 0, width, 3 * width));
        const split = (x: Tensor) => transpose(reshape(x, [batch, length, heads, sizes.headSize]), [0, 2, 1, 3]);
        keys.push(split(slice(both, 1, 0, width)));
        values.push(split(slice(both, 1, width, 2 * width)));
      }
      return { keys, values, bias: paddingBias };
    },

    step(inputs) {
      const tables = robertaTables(inputs.tokens, config, 'encoder.');
      const { words, positions, types } = tables;
      const place = add(inputs.counts, config.pad_token_id); // positions count up from the padding id
      const embedded = add(add(embedding(words, inputs.tokens), embedding(positions, place)), slice(types, 0, 0, 1));
      const keys: Tensor[] = [];
      const values: Tensor[] = [];
      let x = layerNorm(embedded, ...tables.norm, config.layer_norm_eps); // (rows, hidden)
      for (let layer = 0; layer < layers; layer++) {
        const name = `decoder.layers.${layer}`;
        const own = attentionName(layer, 'self_attn');
        const { weight, bias } = inProjection(x, own);
        const all = linear(x, weight, bias); // (rows, 3 x hidden)
        const [q, k, v] = [0, 1, 2].map((part) => slice(all, 1, part * width, (part + 1) * width));
        const past = attendToPast([q!, k!, v!], inputs, sizes, { layer, scale, bias: inputs.visible });
        keys.push(past.keys);
        values.push(past.values);
        x = norm(add(x, outProjection(past.mixed, own)), `${name}.norm1`);

        const cross = attentionName(layer, 'multihead_attn');
        const mixed = attendToSource(projectPart(x, cross, 0), inputs, sizes, { layer, scale });
        x = norm(add(x, outProjection(mixed, cross)), `${name}.norm2`);

        const inner = relu(dense(x, `${name}.linear1`, decoder.feedForward, toUniform));
        x = norm(add(x, dense(inner, `${name}.linear2`, width, toUniform)), `${name}.norm3`);
      }
      const projected = tanh(dense(x, 'dense', width, normal(config.initializer_range)));
      return { logits: linear(projected, words), keys, values };
    },
  };
}
