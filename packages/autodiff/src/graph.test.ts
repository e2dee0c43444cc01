import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { crossEntropy } from './losses.js';
import { add, multiply } from './ops/arithmetic.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { layerNorm } from './ops/normalization.js';
import { linear, matmul } from './ops/products.js';
import { sum } from './ops/reductions.js';
import { broadcastTo, concat, reshape, slice, transpose } from './ops/reshaping.js';
import { cast, less, where } from './ops/selection.js';
import { adamW } from './optimizers/adam.js';
import { clipByGlobalNorm } from './optimizers/clip.js';
import { sgd } from './optimizers/sgd.js';

function refusal(build: () => unknown): RedefError {
  try {
    build();
  } catch (error) {
    if (RedefError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const graph = new Graph();
const a = graph.input('a', [2, 3]);
const b = graph.input('b', [4, 5]);
const ids = graph.input('ids', [2], 'int32');

test.each<[string, () => unknown]>([
  ['add', () => add(a, b)],
  ['multiply', () => multiply(a, ids)],
  ['matmul', () => matmul(a, b)],
  ['matmul', () => matmul(a, ids)],
  ['linear', () => linear(a, b)],
  ['reshape', () => reshape(a, [5])],
  ['transpose', () => transpose(a, [0])],
  ['transpose', () => transpose(a, [0, 0])],
  ['sum', () => sum(a, [2])],
  ['slice', () => slice(a, 0, 1, 3)],
  ['concat', () => concat([a, b], 0)],
  ['broadcastTo', () => broadcastTo(a, [2, 4])],
  ['where', () => where(a, a, a)],
  ['layerNorm', () => layerNorm(a, b, b)],
  ['embedding', () => embedding(a, b)],
  ['crossEntropy', () => crossEntropy(a, b)],
  ['gradients', () => gradients(a, [a])],
])('%s refuses shapes that do not fit, naming itself, the shapes and this file', (op, build) => {
  const error = refusal(build);
  expect(error.code).toBe('shape-mismatch');
  expect(error.message).toMatch(/src\/graph\.test\.ts:\d+: /);
  expect(error.message).toContain(`${op}(`);
  expect(error.message).toMatch(/\[\d+(, \d+)*\]/);
});

test('an op without a tensor, an optimizer without parameters, parameters without gradients', () => {
  for (const build of [
    () => add(1, 2),
    () => where(less(a, 0), 1, 2),
    () => concat([], 0),
    () => adamW().update([], []),
    () => sgd().update([a], []),
    () => clipByGlobalNorm([], 1),
  ]) {
    expect(refusal(build).code).toBe('shape-mismatch');
  }
});

test('the line is that of the call', () => {
  const here = Number(/:(\d+):\d+\)?$/m.exec(new Error().stack!)![1]);
  expect(refusal(() => add(a, b)).message).toContain(
    `graph.test.ts:${here + 1}: add(a float32[2, 3], b float32[4, 5]): these shapes do not broadcast`,
  );
});

test('names are unique and shapes positive', () => {
  expect(refusal(() => graph.input('a', [1])).code).toBe('invalid-name');
  expect(refusal(() => graph.parameter('', [1])).code).toBe('invalid-name');
  expect(refusal(() => graph.input('x', [0])).code).toBe('shape-mismatch');
  expect(refusal(() => graph.constant([1, 2], [3])).code).toBe('shape-mismatch');
  expect(refusal(() => dropout(a, 1)).code).toBe('invalid-option');
});

test('tensors of two graphs do not mix', () => {
  expect(refusal(() => add(a, new Graph().input('a', [2, 3]))).code).toBe('foreign-tensor');
});

test('a loss that does not depend on a tensor has no gradient by it', () => {
  expect(refusal(() => gradients(sum(a), [b])).code).toBe('no-gradient');
  expect(refusal(() => gradients(sum(cast(less(a, 0), 'float32')), [a])).code).toBe('no-gradient');
  const there = cast(cast(a, 'float64'), 'float32');
  expect(refusal(() => gradients(sum(add(a, there)), [a])).code).toBe('no-gradient'); // rather than half of it
});

test('second derivatives are refused, not wrong', () => {
  const x = graph.input('x', [3]);
  const [first] = gradients(sum(multiply(x, multiply(x, x))), [x]) as [typeof x];
  expect(refusal(() => gradients(sum(first), [x])).code).toBe('no-gradient');
});

test('an op without a pullback is refused on the way of a gradient', () => {
  const x = graph.input('y', [3]);
  const error = refusal(() => gradients(sum(graph.node('Ceil', [x], x.shape)), [x]));
  expect(error.code).toBe('no-gradient');
  expect(error.message).toMatch(/graph\.test\.ts:\d+: Ceil has no gradient by its input y float32\[3\]/);
});
