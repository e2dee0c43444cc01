import { add, embedding, normal, ones, relu, reshape, rmsNorm, type Tensor, transpose } from '@redef/autodiff';
import { multiHeadAttention } from '../attention.js';
import type { T5Config } from '../config.js';
import { affine, type BuildOptions, dropoutIn, rateIn } from '../layers.js';
import { relativePositionBuckets } from './relative-position.js';

/** What a decoder attends to besides its own past. */
export interface T5Memory {
  /** (batch × source length, d_model). */
  hidden: Tensor;
  /** (batch, 1, 1, source length). */
  bias: Tensor;
}

/**
 * The blocks of a T5 encoder or, with a memory, decoder (Raffel et al., 2020): pre-norm, RMS norm, no biases, scores
 * unscaled, and a learnt bias by relative position that the first block holds for all.
 *
 * @param embedded (batch × length, d_model)
 * @param maskBias added to the scores of self-attention, broadcast to (batch, heads, length, length)
 * @returns (batch × length, d_model), normalized
 */
export function t5Stack(
  embedded: Tensor,
  maskBias: Tensor,
  config: T5Config,
  options: BuildOptions & { batch: number; name: 'encoder' | 'decoder'; layers: number; memory?: T5Memory },
): Tensor {
  const { graph } = embedded;
  const { batch, name: stack, layers, memory } = options;
  const { d_model: width, d_kv: size, d_ff: inner, num_heads: heads, initializer_factor: factor } = config;
  const drop = (x: Tensor) => dropoutIn(options, x, config.dropout_rate);
  const norm = (x: Tensor, name: string) =>
    rmsNorm(x, graph.parameter(`${name}.weight`, [width], ones), config.layer_norm_epsilon);
  const project = (x: Tensor, name: string, outputs: number, deviation: number) =>
    affine(x, name, graph.parameter(`${name}.weight`, [outputs, x.shape[1]!], normal(factor * deviation)));

  const attend = (x: Tensor, source: Tensor, name: string, bias: Tensor) => {
    const mixed = multiHeadAttention(
      project(x, `${name}.q`, heads * size, (width * size) ** -0.5),
      project(source, `${name}.k`, heads * size, width ** -0.5),
      project(source, `${name}.v`, heads * size, width ** -0.5),
      { batch, heads, scale: 1, bias, dropoutRate: rateIn(options, config.dropout_rate) },
    );
    return drop(project(mixed, `${name}.o`, width, (heads * size) ** -0.5));
  };

  const position = positionBias(embedded, config, { bidirectional: stack === 'encoder', batch, stack });
  const selfBias = add(position, maskBias); // (batch, heads, length, length)
  let x = drop(embedded);
  for (let layer = 0; layer < layers; layer++) {
    let part = 0;
    const next = () => `${stack}.block.${layer}.layer.${part++}`;
    const own = next();
    const normed = norm(x, `${own}.layer_norm`);
    x = add(x, attend(normed, normed, `${own}.SelfAttention`, selfBias));
    if (memory) {
      const cross = next();
      x = add(x, attend(norm(x, `${cross}.layer_norm`), memory.hidden, `${cross}.EncDecAttention`, memory.bias));
    }
    const feed = next();
    const expanded = relu(project(norm(x, `${feed}.layer_norm`), `${feed}.DenseReluDense.wi`, inner, width ** -0.5));
    x = add(x, drop(project(drop(expanded), `${feed}.DenseReluDense.wo`, width, inner ** -0.5)));
  }
  return drop(norm(x, `${stack}.final_layer_norm`));
}

/** The learnt bias of each head by relative position: (1, heads, length, length). */
function positionBias(
  { graph, shape }: Tensor,
  config: T5Config,
  { bidirectional, batch, stack }: { bidirectional: boolean; batch: number; stack: string },
): Tensor {
  const length = shape[0]! / batch;
  const { num_heads: heads, relative_attention_num_buckets: buckets } = config;
  const name = `${stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`;
  const table = graph.parameter(name, [buckets, heads], normal(config.initializer_factor * config.d_model ** -0.5));
  const maxDistance = config.relative_attention_max_distance;
  const pairs = relativePositionBuckets(length, length, { bidirectional, buckets, maxDistance });
  const perPair = embedding(table, graph.constant(pairs, [length * length], 'int32')); // (length², heads)
  return reshape(transpose(perPair), [1, heads, length, length]);
}
