import { checkOption, shapeError } from '../errors.js';
import type { Graph } from '../graph.js';
import { sameShape } from '../shape.js';
import type { Tensor, Update } from '../tensor.js';

/** A rule that turns gradients into the next values of parameters, written as a part of the graph. */
export interface Optimizer {
  /** Appends the update of each parameter by its gradient; the state it needs becomes variables of the graph. */
  update(parameters: readonly Tensor[], gradients: readonly Tensor[]): Update[];
  /**
   * What a run that makes an update must be fed besides the data. These few numbers are computed outside the graph, in
   * double precision: 1 - 0.999 has four digits in float32.
   *
   * @param step 1 for the first update
   * @throws `RedefError` `invalid-option` for a step or a learning rate that is none
   */
  feeds(step: number, learningRate: number): Record<string, number>;
}

/** What every optimizer is fed for. */
export function checkStep(op: string, step: number, learningRate: number): void {
  checkOption(Number.isSafeInteger(step) && step >= 1, op, 'steps that count from 1', step);
  checkOption(learningRate >= 0 && Number.isFinite(learningRate), op, 'a learning rate of at least 0', learningRate);
}

/** The graph of parameters and gradients that belong together. */
export function commonGraph(op: string, parameters: readonly Tensor[], gradients: readonly Tensor[]): Graph {
  const [first] = parameters;
  const matches = gradients.length === parameters.length;
  if (!first || !matches || !parameters.every(({ shape }, index) => sameShape(shape, gradients[index]!.shape))) {
    throw shapeError(
      op,
      [...parameters.slice(0, 2), ...gradients.slice(0, 2)],
      'expected a gradient for each parameter',
    );
  }
  return first.graph;
}
