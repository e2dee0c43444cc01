import { expect, test } from 'vitest';
import { compile } from '../compile.js';
import { Graph } from '../graph.js';
import { binaryCrossEntropy, crossEntropy, meanSquaredError } from '../losses.js';
import { cpuLowering, webgpuLowering } from '../lowering.js';
import { createOnnxRuntimeDriver } from '../onnxruntime-driver.js';
import type { Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { type GradientCheckOptions, gradientError } from '../testing.js';
import { add, divide, multiply, negate, subtract } from './arithmetic.js';
import { attention } from './attention.js';
import { dropout } from './dropout.js';
import { embedding } from './embedding.js';
import { abs, exp, gelu, log, relu, sigmoid, sqrt, tanh } from './functions.js';
import { layerNorm, rmsNorm } from './normalization.js';
import { linear, matmul } from './products.js';
import { mean, sum } from './reductions.js';
import { broadcastTo, concat, reshape, slice, transpose } from './reshaping.js';
import { less, where } from './selection.js';
import { logSoftmax, softmax } from './softmax.js';

// Every op against central finite differences in double precision.

type Operands = Record<'a' | 'b' | 'c', Tensor>;
type Case = [
  name: string,
  shapes: Record<string, Shape>,
  op: (operands: Operands, graph: Graph) => Tensor,
  GradientCheckOptions?,
];

const positive = { place: (value: number) => value + 1.5 };
const awayFromZero = { place: (value: number) => value + Math.sign(value) * 0.1 };
/** Where everything starts that is drawn from nothing. */
const atZero = { place: () => 0 };
const ids = (graph: Graph, values: number[], shape: Shape = [values.length]) => graph.constant(values, shape, 'int32');

const cases: Case[] = [
  ['add', { a: [2, 3], b: [2, 3] }, ({ a, b }) => add(a, b)],
  ['add, both sides stretched', { a: [2, 1, 3], b: [4, 1] }, ({ a, b }) => add(a, b)],
  ['add, a number', { a: [2] }, ({ a }) => add(1.5, a)],
  ['subtract', { a: [2, 3], b: [3] }, ({ a, b }) => subtract(a, b)],
  ['multiply', { a: [2, 3], b: [1, 3] }, ({ a, b }) => multiply(a, b)],
  ['multiply, by itself', { a: [2, 3] }, ({ a }) => multiply(a, a)],
  ['divide', { a: [2, 3], b: [3] }, ({ a, b }) => divide(a, b), positive],
  ['negate', { a: [2, 3] }, ({ a }) => negate(a)],
  ['exp', { a: [5] }, ({ a }) => exp(a)],
  ['log', { a: [5] }, ({ a }) => log(a), positive],
  ['sqrt', { a: [5] }, ({ a }) => sqrt(a), positive],
  ['abs', { a: [5] }, ({ a }) => abs(a), awayFromZero],
  ['tanh', { a: [5] }, ({ a }) => tanh(a)],
  ['sigmoid', { a: [5] }, ({ a }) => sigmoid(a)],
  ['relu', { a: [9] }, ({ a }) => relu(a), awayFromZero],
  ['sum, all', { a: [2, 3] }, ({ a }) => sum(a)],
  ['sum, some axes', { a: [2, 3, 4] }, ({ a }) => sum(a, [0, -1])],
  ['mean, kept axes', { a: [2, 3, 4] }, ({ a }) => mean(a, [1], true)],
  ['reshape', { a: [2, 6] }, ({ a }) => reshape(a, [3, 4])],
  ['reshape, from a scalar', { a: [] }, ({ a }) => reshape(a, [1, 1, 1])],
  ['reshape, to a scalar', { a: [2, 3] }, ({ a }) => reshape(mean(multiply(a, a), [0, 1], true), [])],
  ['transpose', { a: [2, 3, 4] }, ({ a }) => transpose(a, [2, 0, 1])],
  ['transpose, default', { a: [2, 3] }, ({ a }) => transpose(a)],
  ['slice', { a: [3, 5] }, ({ a }) => slice(a, -1, 1, 3)],
  ['concat', { a: [2, 3], b: [2, 1], c: [2, 2] }, ({ a, b, c }) => concat([a, b, c], 1)],
  ['concat, twice the same', { a: [2, 3] }, ({ a }) => concat([a, a], 0)],
  ['broadcastTo', { a: [3, 1] }, ({ a }) => broadcastTo(a, [2, 3, 4])],
  ['where', { a: [2, 3], b: [3] }, ({ a, b }) => where(less(a, 0), multiply(a, 2), b), awayFromZero],
  ['where, a number', { a: [2, 3] }, ({ a }) => where(less(a, 0), 1, a), awayFromZero],
  ['matmul', { a: [2, 3, 4], b: [2, 4, 5] }, ({ a, b }) => matmul(a, b)],
  ['matmul, left transposed', { a: [2, 4, 3], b: [2, 4, 5] }, ({ a, b }) => matmul(a, b, { transposeA: true })],
  ['matmul, right transposed', { a: [3, 4], b: [5, 4] }, ({ a, b }) => matmul(a, b, { transposeB: true, scale: 0.5 })],
  [
    'matmul, both transposed',
    { a: [2, 2, 4, 3], b: [2, 2, 5, 4] },
    ({ a, b }) => matmul(a, b, { transposeA: true, transposeB: true, scale: -2 }),
  ],
  ['attention', { a: [2, 3, 4], b: [2, 5, 4], c: [2, 5, 4] }, ({ a, b, c }) => attention(a, b, c)],
  ['attention, to itself', { a: [2, 2, 3, 4] }, ({ a }) => attention(a, a, a, { scale: 0.7 })],
  [
    'attention, with a bias and dropout',
    { a: [2, 2, 3, 4], b: [2, 2, 3, 4], c: [2, 3, 3] },
    ({ a, b, c }) => attention(a, b, multiply(b, 2), { bias: c, dropoutRate: 0.4 }),
  ],
  [
    'attention, with its weights computed anew',
    { a: [2, 2, 3, 4], b: [2, 2, 5, 4], c: [2, 3, 5] },
    ({ a, b, c }) => attention(a, b, multiply(b, 2), { bias: c, dropoutRate: 0.4, recompute: true }),
  ],
  ['linear', { a: [3, 4], b: [2, 4], c: [2] }, ({ a, b, c }) => linear(a, b, c)],
  ['linear, without bias', { a: [3, 4], b: [2, 4] }, ({ a, b }) => linear(a, b)],
  ['softmax', { a: [2, 5] }, ({ a }) => softmax(a)],
  ['logSoftmax', { a: [2, 5] }, ({ a }) => logSoftmax(a)],
  ['layerNorm', { a: [2, 3, 5], b: [5], c: [5] }, ({ a, b, c }) => layerNorm(a, b, c)],
  ['rmsNorm', { a: [2, 3, 5], b: [5] }, ({ a, b }) => rmsNorm(a, b)],
  ['embedding, an id twice', { a: [4, 3] }, ({ a }, graph) => embedding(a, ids(graph, [1, 3, 1, 0], [2, 2]))],
  ['dropout', { a: [4, 5] }, ({ a }) => dropout(a, 0.4)],
  ['crossEntropy', { a: [3, 4] }, ({ a }, graph) => crossEntropy(a, ids(graph, [2, 0, 3]))],
  [
    'crossEntropy, with weights and an ignored label',
    { a: [4, 3] },
    ({ a }, graph) => crossEntropy(a, ids(graph, [2, -100, 1, 0]), { classWeights: graph.constant([1, 2, 0.5]) }),
  ],
  ['binaryCrossEntropy', { a: [5] }, ({ a }, graph) => binaryCrossEntropy(a, graph.constant([0, 1, 1, 0.3, 0]))],
  [
    'binaryCrossEntropy, at 0',
    { a: [5] },
    ({ a }, graph) => binaryCrossEntropy(a, graph.constant([0, 1, 1, 0.3, 0])),
    atZero,
  ],
  ...Object.entries({ sigmoid, tanh, softmax, logSoftmax }).map(
    ([name, op]): Case => [`${name}, at 0`, { a: [5] }, ({ a }) => op(a), atZero],
  ),
  ['crossEntropy, at 0', { a: [4, 3] }, ({ a }, graph) => crossEntropy(a, ids(graph, [2, 0, 1, 0])), atZero],
  ['meanSquaredError', { a: [2, 3], b: [2, 3] }, ({ a, b }) => meanSquaredError(a, b)],
];

test.each(cases)('%s', async (_name, shapes, op, options) => {
  expect(await gradientError(shapes as Record<'a' | 'b' | 'c', Shape>, op, options)).toBeLessThan(1e-8);
});

test.each(cases.filter(([name]) => /^(matmul|attention|logSoftmax|crossEntropy)/.test(name)))(
  '%s, lowered for WebGPU',
  async (_name, shapes, op, options) => {
    const driver = { ...createOnnxRuntimeDriver(), lowering: webgpuLowering };
    const error = await gradientError(shapes as Record<'a' | 'b' | 'c', Shape>, op, { ...options, driver });
    expect(error).toBeLessThan(1e-8);
  },
);

test('embedding of a large table scatters, and no repeated id is lost', async () => {
  const many = Array.from({ length: 64 }, (_, index) => (index % 3) * 600);
  const error = await gradientError({ a: [1201, 2] }, ({ a }, graph) => embedding(a, ids(graph, many)));
  expect(error).toBeLessThan(1e-8);
});

test('gelu, whose kernel is single precision', async () => {
  expect(await gradientError({ a: [9] }, ({ a }) => gelu(multiply(a, 3)), { float: 'float32' })).toBeLessThan(1e-3);
});

test('products of many rows, which the CPU takes in blocks', async () => {
  const error = await gradientError({ a: [1026, 2], b: [2, 2], c: [2] }, ({ a, b, c }) => linear(a, b, c));
  expect(error).toBeLessThan(1e-8);
  const ofWeight = await gradientError({ a: [2, 2], b: [1026, 2] }, ({ a, b }) => linear(a, b));
  expect(ofWeight).toBeLessThan(1e-8);
  const graph = new Graph();
  const y = linear(graph.input('x', [1026, 2]), graph.input('w', [3, 2]));
  expect(compile({ y }, [], cpuLowering).graph.nodes.map(({ type }) => type)).toEqual([
    'Split',
    'Gemm',
    'Gemm',
    'Gemm',
    'Concat',
  ]);
});
