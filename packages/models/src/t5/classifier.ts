import { cast, divide, multiply, normal, reshape, sum, type Tensor } from '@redef/autodiff';
import { classificationHead } from '../classification-head.js';
import type { T5Config } from '../config.js';
import type { BuildOptions } from '../layers.js';
import { isToken } from '../masks.js';
import { t5Encoder } from './encoder.js';

/**
 * The T5 encoder with a classification head (dense, tanh, projection) on the mean of its tokens' states.
 *
 * @param ids (batch, length), int32
 * @returns logits (batch, classes)
 */
export function t5Classifier(
  ids: Tensor,
  config: T5Config,
  { classes = 2, ...options }: BuildOptions & { classes?: number } = {},
): Tensor {
  const [batch, length] = ids.shape as [number, number];
  const { hidden } = t5Encoder(ids, config, options);
  const states = reshape(hidden, [batch, length, config.d_model]);
  const counts = reshape(cast(isToken(ids, config), hidden.dtype), [batch, length, 1]); // 1 for a token, 0 for padding
  const pooled = divide(sum(multiply(states, counts), [1]), sum(counts, [1]));
  return classificationHead(pooled, {
    ...options,
    classes,
    dropoutRate: config.dropout_rate,
    initialize: normal(config.initializer_factor * 0.02),
  });
}
