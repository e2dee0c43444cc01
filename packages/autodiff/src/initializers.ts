import type { Rng } from '@redef/core';
import { type Shape, sizeOf } from './shape.js';

/** First values of a variable. `rng` is the variable's own stream: values depend on the seed and the name alone. */
export type Initializer = (shape: Shape, rng: Rng) => Float32Array;

export const zeros: Initializer = (shape) => new Float32Array(sizeOf(shape));

export const ones: Initializer = (shape) => new Float32Array(sizeOf(shape)).fill(1);

/** Normal with mean 0. */
export function normal(standardDeviation: number): Initializer {
  return (shape, rng) => Float32Array.from({ length: sizeOf(shape) }, () => rng.normal() * standardDeviation);
}

/** Uniform in [-bound, bound). */
export function uniform(bound: number): Initializer {
  return (shape, rng) => Float32Array.from({ length: sizeOf(shape) }, () => (2 * rng.next() - 1) * bound);
}
