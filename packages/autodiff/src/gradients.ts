import { RedefError } from '@redef/core';
import { describe, shapeError } from './errors.js';
import { add } from './ops/arithmetic.js';
import { sameShape } from './shape.js';
import { sourceLine } from './source-line.js';
import type { Tensor } from './tensor.js';

/**
 * Reverse-mode differentiation: appends to the graph the nodes that compute d `loss` / d each of `tensors`.
 *
 * The nodes between the tensors and the loss are visited from the loss backwards. Each hands the gradient of its output
 * on through the op's pullbacks; where a tensor is used several times, the parts are added up.
 *
 * @param loss a scalar
 * @returns one gradient for each tensor, of its shape
 * @throws `RedefError` `no-gradient` where the loss does not depend on a tensor, or only through an op without a gradient
 */
export function gradients(loss: Tensor, tensors: readonly Tensor[]): Tensor[] {
  if (loss.shape.length > 0) throw shapeError('gradients', [loss], 'the loss must be a scalar; take its mean or sum');
  const { graph } = loss;
  const ancestors = collectAncestors(loss);
  const dependent = new Set<Tensor>(tensors);
  for (const tensor of ancestors) {
    const continuous = tensor.dtype === 'float32' || tensor.dtype === 'float64'; // integers and booleans have no gradient
    if (continuous && tensor.node?.inputs.some((input) => dependent.has(input))) dependent.add(tensor);
  }

  const gradientOf = new Map<Tensor, Tensor>([[loss, graph.constant(1)]]);
  for (const output of ancestors.reverse()) {
    const gradient = gradientOf.get(output);
    if (!gradient || !output.node || !dependent.has(output)) continue;
    const { line, type } = output.node;
    for (const [index, input] of output.through.entries()) {
      if (!dependent.has(input)) continue;
      const pullback = output.pullbacks[index];
      if (!pullback) throw noGradient(`${line}: ${type} has no gradient by its input ${describe(input)}`);
      const part = graph.pullBack(line, () => pullback(gradient));
      if (!sameShape(part.shape, input.shape)) throw shapeError(`gradient of ${type}`, [input, part], 'shapes differ');
      const sum = gradientOf.get(input);
      gradientOf.set(input, sum ? graph.pullBack(line, () => add(sum, part)) : part);
    }
  }
  return tensors.map((tensor) => {
    const gradient = gradientOf.get(tensor);
    if (!gradient) throw noGradient(`${sourceLine()}: the loss does not depend on ${describe(tensor)}`);
    return gradient;
  });
}

/** The tensor and all that it is computed from, in the order in which they were written. */
export function collectAncestors(...tensors: readonly Tensor[]): Tensor[] {
  const found = new Set<Tensor>(tensors);
  for (const tensor of found) {
    for (const input of tensor.node?.inputs ?? []) found.add(input); // a Set is walked to its growing end
  }
  return [...found].sort((a, b) => (a.node?.order ?? -1) - (b.node?.order ?? -1));
}

function noGradient(message: string): RedefError {
  return new RedefError(message, {
    code: 'no-gradient',
    remedy: 'Leave the tensor out of the list, or compute the loss from it through ops that have a gradient.',
  });
}
