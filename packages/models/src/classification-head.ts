import { type Initializer, type Tensor, tanh } from '@redef/autodiff';
import { type BuildOptions, dense, dropoutIn } from './layers.js';

export interface ClassificationHeadOptions extends BuildOptions {
  classes: number;
  dropoutRate: number;
  initialize: Initializer;
}

/** Dropout, dense, tanh, dropout, projection. Shapes: pooled (batch, hidden) to logits (batch, classes). */
export function classificationHead(pooled: Tensor, options: ClassificationHeadOptions): Tensor {
  const { classes, dropoutRate, initialize } = options;
  const drop = (x: Tensor) => dropoutIn(options, x, dropoutRate);
  const hidden = tanh(dense(drop(pooled), 'classifier.dense', pooled.shape[1]!, initialize));
  return dense(drop(hidden), 'classifier.out_proj', classes, initialize);
}
