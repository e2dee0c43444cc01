import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as ad from '../src/index.js';

// Forward values, gradients and optimizer steps of PyTorch, as test/fixtures/make_goldens.py wrote them.

interface Golden {
  operands: Record<string, { shape: number[]; values: number[] }>;
  output: { shape: number[]; values: number[] };
  upstream: number[];
  gradients: Record<string, number[]>;
}

interface OptimizerGolden {
  initial: number[][];
  clip: number | null;
  steps: { learningRate: number; gradients: number[][]; weights: number[][]; norm?: number }[];
}

const goldens: { ops: Record<string, Golden>; optimizers: Record<string, OptimizerGolden> } = JSON.parse(
  readFileSync(new URL('./fixtures/goldens.json', import.meta.url), 'utf8'),
);

type Op = (operands: ad.Tensor[], graph: ad.Graph) => ad.Tensor;
const labels = (graph: ad.Graph) => graph.constant([2, -100, 0, 4], [4], 'int32');
const ops: Record<string, Op> = {
  add: ([a, b]) => ad.add(a!, b!),
  subtract: ([a, b]) => ad.subtract(a!, b!),
  multiply: ([a, b]) => ad.multiply(a!, b!),
  divide: ([a, b]) => ad.divide(a!, b!),
  negate: ([a]) => ad.negate(a!),
  exp: ([a]) => ad.exp(a!),
  log: ([a]) => ad.log(a!),
  sqrt: ([a]) => ad.sqrt(a!),
  abs: ([a]) => ad.abs(a!),
  tanh: ([a]) => ad.tanh(a!),
  sigmoid: ([a]) => ad.sigmoid(a!),
  relu: ([a]) => ad.relu(a!),
  gelu: ([a]) => ad.gelu(ad.multiply(a!, 3)),
  sum: ([a]) => ad.sum(a!, [0, 2]),
  mean: ([a]) => ad.mean(a!, [1], true),
  reshape: ([a]) => ad.reshape(a!, [3, 4]),
  transpose: ([a]) => ad.transpose(a!, [2, 0, 1]),
  slice: ([a]) => ad.slice(a!, 1, 1, 3),
  concat: ([a, b]) => ad.concat([a!, b!], 1),
  broadcastTo: ([a]) => ad.broadcastTo(a!, [2, 3, 4]),
  where: ([a, b], graph) => ad.where(graph.constant([0, 1, 1, 1, 0, 1], [2, 3], 'bool'), a!, b!),
  matmul: ([a, b]) => ad.matmul(a!, b!, { transposeB: true, scale: 0.25 }),
  attention: ([q, k, v, bias]) => ad.attention(q!, k!, v!, { bias: bias! }),
  linear: ([a, b, c]) => ad.linear(a!, b!, c!),
  softmax: ([a]) => ad.softmax(a!),
  logSoftmax: ([a]) => ad.logSoftmax(a!),
  layerNorm: ([a, b, c]) => ad.layerNorm(a!, b!, c!),
  rmsNorm: ([a, b]) => ad.rmsNorm(a!, b!),
  embedding: ([a], graph) => ad.embedding(a!, graph.constant([3, 0, 3, 1, 3, 4], [2, 3], 'int32')),
  crossEntropy: ([a], graph) => ad.crossEntropy(a!, labels(graph)),
  'crossEntropy with class weights': ([a], graph) =>
    ad.crossEntropy(a!, labels(graph), { classWeights: graph.constant([1, 2, 0.5, 3, 1.5]) }),
  binaryCrossEntropy: ([a], graph) => ad.binaryCrossEntropy(a!, graph.constant([0, 1, 0.25, 1])),
  meanSquaredError: ([a, b]) => ad.meanSquaredError(a!, b!),
};

test('every op of the fixture is compared, and every op of the package is in it', () => {
  expect(Object.keys(ops)).toEqual(Object.keys(goldens.ops));
  // Nothing to differentiate, or (dropout) random: against finite differences alone.
  const others = ['cast', 'equal', 'less', 'notEqual', 'dropout'];
  const exported = readdirSync(new URL('../src/ops', import.meta.url))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap(
      (file) =>
        readFileSync(new URL(`../src/ops/${file}`, import.meta.url), 'utf8').match(/(?<=^export function )\w+/gm) ?? [],
    )
    .filter((name) => name in ad);
  expect(new Set([...Object.keys(ops).map((name) => name.split(' ')[0]), ...others])).toEqual(
    new Set([...exported, 'crossEntropy', 'binaryCrossEntropy', 'meanSquaredError']),
  );
});

test.each(Object.keys(ops))('%s has the values and gradients of PyTorch', async (name) => {
  const { operands, output, upstream, gradients } = goldens.ops[name]!;
  const graph = new ad.Graph();
  const inputs = Object.entries(operands).map(([operand, { shape }]) => graph.input(operand, shape));
  const result = ops[name]!(inputs, graph);
  expect(result.shape).toEqual(output.shape);
  const loss = ad.sum(ad.multiply(result, graph.constant(upstream, result.shape)));
  const derivatives = ad.gradients(loss, inputs);
  const outputs = {
    result,
    ...Object.fromEntries(inputs.map((input, index) => [`d ${input.name}`, derivatives[index]!])),
  };
  const session = await ad.Session.create<string>({ outputs });
  const found = await session.run(
    Object.fromEntries(Object.entries(operands).map(([key, { values }]) => [key, values])),
  );
  expect(largestDifference(found.result!, output.values)).toBeLessThan(1e-6);
  for (const [operand, expected] of Object.entries(gradients)) {
    expect(largestDifference(found[`d ${operand}`]!, expected), operand).toBeLessThan(1e-6);
  }
});

const optimizers: Record<string, ad.Optimizer> = {
  sgd: ad.sgd({ weightDecay: 0.05 }),
  'sgd with momentum': ad.sgd({ momentum: 0.9 }),
  adam: ad.adam({ weightDecay: 0.05 }),
  adamW: ad.adamW({ weightDecay: 0.05 }),
  'adamW, clipped': ad.adamW(),
  'adamW, decay of one': ad.adamW({ weightDecay: 0.1, decays: (name) => name === 'w0' }),
};

test.each(Object.entries(optimizers))('%s takes the steps of PyTorch', async (name, optimizer) => {
  const { initial, clip, steps } = goldens.optimizers[name]!;
  const graph = new ad.Graph();
  const shapes = [[3, 2], [4]];
  const weights = shapes.map((shape, index) => graph.parameter(`w${index}`, shape));
  const given = shapes.map((shape, index) => graph.input(`g${index}`, shape));
  const clipped = clip === null ? undefined : ad.clipByGlobalNorm(given, clip);
  const session = await ad.Session.create({
    outputs: { norm: clipped?.norm ?? graph.constant(0) },
    updates: optimizer.update(weights, clipped?.gradients ?? given),
  });
  for (const [index, { name, dtype, shape }] of weights.entries()) {
    session.variables.set({ name, dtype, shape }, initial[index]!);
  }
  for (const [index, { learningRate, gradients, weights: expected, norm = 0 }] of steps.entries()) {
    const feeds = { g0: gradients[0]!, g1: gradients[1]!, ...optimizer.feeds(index + 1, learningRate) };
    expect((await session.run(feeds)).norm[0]).toBeCloseTo(norm, 5);
    for (const [position, values] of expected.entries()) {
      expect(largestDifference(await session.variables.read(`w${position}`), values)).toBeLessThan(1e-6);
    }
  }
});

/** Relative where the numbers are large, absolute where they are small. */
function largestDifference(found: ad.TypedArray, expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  return Math.max(
    ...expected.map((value, index) => Math.abs(Number(found[index]) - value) / Math.max(1, Math.abs(value))),
  );
}
