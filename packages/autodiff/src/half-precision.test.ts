import { createRng } from '@redef/core';
import { expect, test } from 'vitest';
import { createDriver } from './device.js';
import { collectAncestors, gradients } from './gradients.js';
import { Graph } from './graph.js';
import { type Precision, toHalfPrecision } from './half-precision.js';
import { normal, ones } from './initializers.js';
import { crossEntropy } from './losses.js';
import { createOnnxRuntimeDriver } from './onnxruntime-driver.js';
import { add, divide, multiply } from './ops/arithmetic.js';
import { attention } from './ops/attention.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { gelu } from './ops/functions.js';
import { layerNorm } from './ops/normalization.js';
import { linear } from './ops/products.js';
import { reshape } from './ops/reshaping.js';
import { Session } from './session.js';

// On the CPU, where ONNX Runtime computes in single precision and rounds to half: slow, but the same graph.

const lossScale = 1024;

/** One block of a transformer. */
function model() {
  const [batch, length, width, heads] = [2, 8, 16, 2];
  const graph = new Graph();
  const parameter = (name: string, ...shape: number[]) => graph.parameter(name, shape, normal(0.3));
  const norm = (x: typeof ids, name: string) =>
    layerNorm(x, graph.parameter(name, [width], ones), parameter(`${name}.bias`, width));
  const ids = graph.input('ids', [batch, length], 'int32');
  const x = norm(reshape(embedding(parameter('table', 50, width), ids), [batch * length, width]), 'first');
  const split = (y: typeof x) => reshape(y, [batch, heads, length, width / heads]);
  const [query, key, value] = ['q', 'k', 'v'].map((name) => split(linear(x, parameter(name, width, width))));
  const mixed = reshape(attention(query!, key!, value!, { dropoutRate: 0.1 }), [batch * length, width]);
  const y = norm(add(x, linear(mixed, parameter('o', width, width), parameter('bias', width))), 'second');
  const inner = dropout(gelu(linear(y, parameter('up', 32, width))), 0.2);
  const logits = linear(inner, parameter('down', 3, 32));
  const loss = crossEntropy(logits, graph.input('labels', [batch * length], 'int32'));
  const scaled = gradients(multiply(loss, lossScale), graph.parameters);
  const outputs: Record<string, typeof loss> = { loss };
  for (const [index, { name }] of graph.parameters.entries()) outputs[`d ${name}`] = divide(scaled[index]!, lossScale);
  return outputs;
}

const feeds = {
  ids: Array.from({ length: 16 }, (_, index) => (index * 7) % 50),
  labels: Array.from({ length: 16 }, (_, index) => index % 3),
};

async function run(precision: Precision) {
  const driver = createOnnxRuntimeDriver({ threads: 1, precision });
  const session = await Session.create({ outputs: model(), rng: createRng(3), driver });
  return session.run(feeds, { seed: 1 });
}

test('loss and gradients are those of single precision, to the digits that half has', async () => {
  const [single, half] = [await run('float32'), await run('float16')];
  expect(Math.abs(Number(half.loss![0]) - Number(single.loss![0]))).toBeLessThan(1e-3);
  expect(half.loss).not.toEqual(single.loss);
  for (const [name, values] of Object.entries(single)) {
    const numbers = Array.from(values, Number);
    const scale = Math.max(...numbers.map(Math.abs));
    const difference = Math.max(...numbers.map((value, index) => Math.abs(value - Number(half[name]![index]))));
    expect(difference / scale, name).toBeLessThan(1e-2);
  }
});

test('products are of half precision; softmax, norms, loss and results of single', () => {
  const rewritten = toHalfPrecision(Object.values(model()));
  expect(new Set(rewritten.map(({ dtype }) => dtype))).toEqual(new Set(['float32']));
  const single = ['Softmax', 'LogSoftmax', 'ReduceMean', 'ReduceSum', 'Sqrt', 'Div', 'Exp', 'Erf', 'ScatterElements'];
  const seen = new Set<string>();
  for (const { dtype, node } of collectAncestors(...rewritten)) {
    if (!node) continue;
    const floats = [dtype, ...node.inputs.map((input) => input.dtype)].filter((type) => type.startsWith('float'));
    if (node.type !== 'Cast') expect(new Set(floats).size, node.type).toBeLessThan(2); // no op takes both
    if (['Gemm', 'FusedMatMul', 'Gelu'].includes(node.type)) expect(floats[0], node.type).toBe('float16');
    if (single.includes(node.type)) expect(floats[0], node.type).toBe('float32');
    seen.add(node.type);
  }
  expect(seen).toEqual(new Set([...seen, 'Gemm', 'FusedMatMul', 'Gelu', 'Softmax', 'ReduceMean', 'Exp', 'Div']));
});

test('the CPU is refused, since it would gain nothing', async () => {
  await expect(createDriver('cpu', { precision: 'float16' })).rejects.toMatchObject({ code: 'invalid-option' });
});
