import { RedefError } from '@redef/core';
import type { Tensor } from '../tensor.js';
import { multiply } from './arithmetic.js';
import { less, where } from './selection.js';

/**
 * Sets each element to 0 with probability `rate`, to the nearest 1/65,536, and scales the others so that the expectation
 * stays (Srivastava et al., 2014). Which ones is drawn from the seed that each run is given: equal seeds, equal masks.
 * Leave the op out of graphs for evaluation.
 */
export function dropout(x: Tensor, rate: number): Tensor {
  if (!(rate >= 0 && rate < 1)) {
    throw new RedefError(`dropout: the rate must be at least 0 and below 1, got ${rate}`, {
      code: 'invalid-option',
      remedy: 'Pass 0 for no dropout.',
    });
  }
  const dropped = Math.round(rate * 2 ** 16);
  if (dropped === 0) return x;
  const noise = x.graph.noise(x.shape);
  const kept = 2 ** 16 - dropped;
  return where(less(noise, kept), multiply(x, 2 ** 16 / kept), 0);
}
