import { checkOption } from '../errors.js';
import type { Graph } from '../graph.js';
import type { Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { again } from './again.js';
import { multiply } from './arithmetic.js';
import { cast, keepWhere, less } from './selection.js';

/**
 * Sets each element to 0 with probability `rate`, to the nearest 1/65,536, and scales the others so that the expectation
 * stays (Srivastava et al., 2014). Which ones is drawn from the seed that each run is given: equal seeds, equal masks.
 * Leave the op out of graphs for evaluation.
 */
export function dropout(x: Tensor, rate: number): Tensor {
  const mask = dropoutMask(x.graph, x.shape, rate);
  return mask ? multiply(keepWhere(mask.kept(), x), mask.scale) : x;
}

export interface DropoutMask {
  /** Which elements are kept (bool); the same ones where it is computed again for the backward pass, once `after` is there. */
  kept(after?: Tensor): Tensor;
  /** By what they are scaled. */
  scale: number;
}

/** Nothing where none is dropped. */
export function dropoutMask(graph: Graph, shape: Shape, rate: number): DropoutMask | undefined {
  const dropped = Math.round(rate * 2 ** 16);
  checkOption(
    rate >= 0 && dropped < 2 ** 16,
    'dropout',
    'a rate of at least 0 and below 1, to the nearest 1/65,536',
    rate,
  );
  if (dropped === 0) return undefined;
  const kept = 2 ** 16 - dropped;
  const noise = graph.noise(shape);
  const limit = graph.constant(kept, [], 'int32');
  return {
    kept: (after) => less(noise, cast(after ? again(limit, after) : limit, 'uint16')),
    scale: 2 ** 16 / kept,
  };
}
