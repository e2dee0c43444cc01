import { normal, type Tensor } from '@redef/autodiff';
import { classificationHead } from '../classification-head.js';
import type { RobertaConfig } from '../config.js';
import type { BuildOptions } from '../layers.js';
import { robertaEncoder } from './encoder.js';

/**
 * RoBERTa with the classification head of `RobertaForSequenceClassification`, on the first token.
 *
 * @param ids (batch, length), int32
 * @returns logits (batch, classes)
 */
export function robertaClassifier(
  ids: Tensor,
  config: RobertaConfig,
  { classes = 2, ...options }: BuildOptions & { classes?: number } = {},
): Tensor {
  const { hidden } = robertaEncoder(ids, config, { ...options, firstOnly: true });
  return classificationHead(hidden, {
    ...options,
    classes,
    dropoutRate: config.classifier_dropout ?? config.hidden_dropout_prob,
    initialize: normal(config.initializer_range),
  });
}
