import { createRng, type RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { compile } from '../compile.js';
import type { Driver } from '../driver.js';
import { gradients } from '../gradients.js';
import { Graph } from '../graph.js';
import { normal } from '../initializers.js';
import { crossEntropy } from '../losses.js';
import { createOnnxRuntimeDriver } from '../onnxruntime-driver.js';
import { add, multiply } from '../ops/arithmetic.js';
import { dropout } from '../ops/dropout.js';
import { embedding } from '../ops/embedding.js';
import { gelu } from '../ops/functions.js';
import { layerNorm } from '../ops/normalization.js';
import { linear } from '../ops/products.js';
import { mean, sum } from '../ops/reductions.js';
import { broadcastTo, reshape } from '../ops/reshaping.js';
import { adamW } from '../optimizers/adam.js';
import { clipByGlobalNorm } from '../optimizers/clip.js';
import { sgd } from '../optimizers/sgd.js';
import { Session } from '../session.js';
import type { Tensor } from '../tensor.js';
import { Variables } from '../variables.js';
import { createNativeDriver } from './driver.js';

async function train(driver: Driver) {
  const graph = new Graph();
  const parameter = (name: string, ...shape: number[]) => graph.parameter(name, shape, normal(0.3));
  const ids = graph.input('ids', [32], 'int32');
  const x = layerNorm(embedding(parameter('table', 50, 16), ids), parameter('scale', 16), parameter('shift', 16));
  const hidden = dropout(gelu(linear(x, parameter('w1', 64, 16), parameter('b1', 64))), 0.2);
  const logits = linear(hidden, parameter('w2', 4, 64), parameter('b2', 4));
  const loss = crossEntropy(logits, graph.input('labels', [32], 'int32'));
  const clipped = clipByGlobalNorm(gradients(loss, graph.parameters), 1);
  const optimizer = adamW();
  const updates = optimizer.update(graph.parameters, clipped.gradients);
  const outputs = { loss, logits, norm: clipped.norm };
  const session = await Session.create({ outputs, updates, rng: createRng(5), driver });
  const feeds = {
    ids: Array.from({ length: 32 }, (_, index) => (index * 7) % 50),
    labels: Array.from({ length: 32 }, (_, index) => index % 4),
  };
  const losses: number[] = [];
  for (let step = 1; step <= 30; step++) {
    const result = await session.run({ ...feeds, ...optimizer.feeds(step, 0.01) }, { seed: step });
    losses.push(Number(result.loss[0]), Number(result.norm[0]), Number(result.logits[5]));
  }
  const weights = await Promise.all(
    session.variables.names.map(async (name) => [...(await session.variables.read(name))]),
  );
  await session.close();
  return { losses, weights };
}

test('a training has the bits of the official binding', async () => {
  const native = await train(createNativeDriver({ threads: 1 }));
  expect(native).toEqual(await train(createOnnxRuntimeDriver({ threads: 1 })));
  expect(native.losses.at(-3)!).toBeLessThan(native.losses[0]! / 2);
});

test('moments and sums are overwritten, weights and what is also read elsewhere are not', () => {
  const graph = new Graph();
  const w = graph.parameter('w', [2, 3]);
  const total = graph.state('total', [2, 3]);
  const seen = graph.state('seen', [2, 3]);
  const x = graph.input('x', [4, 3]);
  const loss = mean(linear(x, w));
  const [gradient] = gradients(loss, [w]) as [typeof w];
  const updates = [
    { variable: total, next: add(total, gradient) },
    { variable: seen, next: add(multiply(seen, 0.5), gradient) },
    ...sgd().update([w], [gradient]),
  ];
  expect(compile({ loss }, updates).overwritable).toEqual(new Set(['total', 'seen']));
  expect(compile({ loss, copy: seen, other: sum(total) }, updates).overwritable).toEqual(new Set());
});

/** Results and state over three runs of `next = f(state)` with another output that reads what `f` is made of. */
async function trackState(driver: Driver, between: (state: Tensor) => Tensor) {
  const graph = new Graph();
  const state = graph.state('state', [1, 6]);
  const view = between(state);
  const next = add(view, graph.input('x', [1, 6]));
  const out = add(multiply(view, 10), sum(next));
  const session = await Session.create({ outputs: { out }, updates: [{ variable: state, next }], driver });
  const seen: number[][] = [];
  for (let run = 0; run < 3; run++)
    seen.push([...((await session.run({ x: new Float32Array(6).fill(1) })).out as Float32Array)]);
  return seen;
}

test.each<[string, (state: Tensor) => Tensor]>([
  ['reshaped', (state) => reshape(state, [6])],
  ['reshaped twice', (state) => reshape(reshape(state, [6]), [1, 6])],
  ['squeezed', (state) => state.graph.node('Squeeze', [state], [6])],
  ['flattened', (state) => state.graph.node('Flatten', [state], [1, 6])],
  ['an Identity', (state) => state.graph.node('Identity', [state], [1, 6])],
  ['times 1, which the runtime leaves out', (state) => multiply(state, 1)],
  ['itself', (state) => state],
])('a state that is still read under another name is not overwritten: %s', async (_name, between) => {
  const native = await trackState(createNativeDriver({ threads: 1 }), between);
  expect(native).toEqual(await trackState(createOnnxRuntimeDriver({ threads: 1 }), between));
  expect(native.map((row) => row[0])).toEqual([6, 22, 38]);
});

test('an array that a variable was set to stays as it is', async () => {
  const graph = new Graph();
  const state = graph.state('state', [2]);
  const variables = new Variables(createNativeDriver());
  const mine = Float32Array.of(1, 2);
  variables.set(state, mine);
  const updates = [{ variable: state, next: add(state, 1) }];
  const session = await Session.create({ outputs: {}, updates, variables });
  await session.run({});
  expect([...mine]).toEqual([1, 2]);
  expect([...(await variables.read('state'))]).toEqual([2, 3]);
});

test('results that were handed out stay as they are', async () => {
  const graph = new Graph();
  const x = graph.input('x', [1000]);
  const session = await Session.create({ outputs: { y: multiply(x, 2) }, driver: createNativeDriver() });
  const first = (await session.run({ x: new Float32Array(1000).fill(1) })).y;
  await session.run({ x: new Float32Array(1000).fill(5) });
  expect(first.every((value) => value === 2)).toBe(true);
});

test('a run leaves the event loop free', async () => {
  const graph = new Graph();
  const a = graph.input('a', [1000, 1000]);
  let y = a;
  for (let layer = 0; layer < 3; layer++) y = linear(y, a);
  const session = await Session.create({ outputs: { y: sum(y) }, driver: createNativeDriver({ threads: 1 }) });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await session.run({ a: new Float32Array(1000 * 1000).fill(1e-3) });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('sessions of several shapes take the memory of the largest, not of all', async () => {
  const variables = new Variables(createNativeDriver({ threads: 1 }));
  const session = async (rows: number) => {
    const graph = new Graph();
    const x = broadcastTo(graph.parameter('row', [1, 1000], normal(1)), [rows, 1000]);
    return Session.create({ outputs: { y: sum(multiply(x, gelu(x))) }, variables });
  };
  const sessions = await Promise.all([10_000, 9_000, 8_000, 7_000, 6_000].map(session));
  const before = process.memoryUsage().rss;
  await sessions[0]!.run({});
  const one = process.memoryUsage().rss - before;
  for (const other of sessions.slice(1)) await other.run({});
  expect(process.memoryUsage().rss - before).toBeLessThan(1.5 * one);
});

test('failures name the line, and the next run succeeds', async () => {
  const graph = new Graph();
  const variables = new Variables(createNativeDriver());
  const y = embedding(graph.parameter('table', [3, 2], normal(1)), add(graph.input('ids', [2], 'int32'), 1));
  const session = await Session.create({ outputs: { y }, variables });
  const failure = session.run({ ids: [0, 2] });
  await expect(failure).rejects.toMatchObject({ code: 'run-failed' } satisfies Partial<RedefError>);
  await expect(failure).rejects.toThrow(/driver\.test\.ts:\d+: .*Gather/);
  expect((await session.run({ ids: [0, 1] })).y).toHaveLength(4);
});

test('a graph that the runtime refuses is an error, not a crash', async () => {
  const graph = new Graph();
  const y = graph.node('NoSuchOp', [graph.input('x', [1])], [1]);
  await expect(Session.create({ outputs: { y }, driver: createNativeDriver() })).rejects.toMatchObject({
    code: 'load-failed',
  });
});
