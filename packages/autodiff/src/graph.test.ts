import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import type { DType } from './dtype.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { crossEntropy } from './losses.js';
import { add, divide, multiply } from './ops/arithmetic.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { abs, exp } from './ops/functions.js';
import { layerNorm } from './ops/normalization.js';
import { linear, matmul } from './ops/products.js';
import { sum } from './ops/reductions.js';
import { broadcastTo, concat, reshape, slice, transpose } from './ops/reshaping.js';
import { cast, less, where } from './ops/selection.js';
import { softmax } from './ops/softmax.js';
import { adam, adamW } from './optimizers/adam.js';
import { clipByGlobalNorm } from './optimizers/clip.js';
import { sgd } from './optimizers/sgd.js';
import { Session } from './session.js';
import { sourceLine } from './source-line.js';

/** What the line is taken to be under a caller. */
function sourceLineOf(call: (ask: () => string) => string): string {
  // Called without a frame of this file in between, as a user's code would.
  return call(sourceLine);
}

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
const c = graph.input('c', [3]);
const double = graph.input('double', [3, 3], 'float64');

test.each<[string, () => unknown]>([
  ['add', () => add(a, b)],
  ['multiply', () => multiply(a, ids)],
  ['matmul', () => matmul(a, b)],
  ['matmul', () => matmul(a, ids)],
  ['matmul', () => matmul(a, c, { transposeB: true })],
  ['matmul', () => matmul(a, double)],
  ['linear', () => linear(a, double)],
  ['exp', () => exp(ids)],
  ['softmax', () => softmax(ids)],
  ['sum', () => sum(less(a, 0))],
  ['add', () => add(less(a, 0), less(a, 1))],
  ['abs', () => abs(less(a, 0))],
  ['layerNorm', () => layerNorm(a, graph.input('weight32', [3]), cast(c, 'float64'))],
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
});

test.each<[string, () => unknown]>([
  ['dropout', () => dropout(a, 1)],
  ['dropout', () => dropout(a, 0.999999)], // which rounds to 1
  ['dropout', () => dropout(a, Number.NaN)],
  ['adam', () => adam({ beta1: 1 })],
  ['adam', () => adam({ beta2: -0.1 })],
  ['adam', () => adam({ epsilon: Number.NaN })],
  ['adamw', () => adamW({ weightDecay: -1 })],
  ['adam', () => adam().feeds(0, 1e-3)],
  ['adam', () => adam().feeds(1.5, 1e-3)],
  ['adam', () => adam().feeds(1, Number.NaN)],
  ['sgd', () => sgd({ momentum: -1 })],
  ['sgd', () => sgd().feeds(1, -1)],
  ['clipByGlobalNorm', () => clipByGlobalNorm([a], -1)],
  ['clipByGlobalNorm', () => clipByGlobalNorm([a], 0)],
])('%s refuses an option that is none (%#)', (op, build) => {
  const error = refusal(build);
  expect(error.code).toBe('invalid-option');
  expect(error.message).toMatch(/src\/graph\.test\.ts:\d+: /);
  expect(error.message).toContain(`${op}: expected`);
});

test.each<[number[], DType]>([
  [[1.5], 'int32'],
  [[2 ** 32 + 1], 'int32'],
  [[1.5], 'int64'],
  [[Number.NaN], 'int64'],
  [[-1], 'uint16'],
  [[0, 2], 'bool'],
])('a constant of %j is no %s', (values, dtype) => {
  expect(refusal(() => graph.constant(values, [values.length], dtype)).code).toBe('invalid-value');
});

test('0 and -0 are two constants', async () => {
  const graph = new Graph();
  const outputs = { plus: divide(1, graph.constant(0)), minus: divide(1, graph.constant(-0)) };
  const { plus, minus } = await (await Session.create({ outputs })).run({});
  expect([plus[0], minus[0]]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
});

test('the line is told where folders have parentheses in their names, and text that was evaluated has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef (a) b-'));
  try {
    const path = join(folder, 'ask (again).cjs');
    writeFileSync(
      path,
      'module.exports = (ask) => {\n  return ask();\n};\nmodule.exports.nested = (ask) => (() => ask())();\n',
    );
    const module = createRequire(import.meta.url)(path);
    expect(sourceLineOf(module)).toBe(`${path}:2`);
    expect(sourceLineOf(module.nested)).toBe(`${path}:4`);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
