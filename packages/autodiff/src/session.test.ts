import { createRng, type RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { compile } from './compile.js';
import type { DType } from './dtype.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { normal } from './initializers.js';
import { crossEntropy, meanSquaredError } from './losses.js';
import { add, multiply } from './ops/arithmetic.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { linear } from './ops/products.js';
import { mean, sum } from './ops/reductions.js';
import { reshape } from './ops/reshaping.js';
import { cast } from './ops/selection.js';
import { adamW } from './optimizers/adam.js';
import { sgd } from './optimizers/sgd.js';
import { type Feeds, Session } from './session.js';
import type { Tensor } from './tensor.js';

test('a session computes its outputs, even one that is an input or is asked for twice', async () => {
  const graph = new Graph();
  const x = graph.input('x', [2]);
  const doubled = multiply(x, 2);
  const session = await Session.create({ outputs: { same: x, doubled, again: doubled } });
  const { same, doubled: first, again } = await session.run({ x: [1, 2] });
  expect([[...same], [...first], [...again]]).toEqual([
    [1, 2],
    [2, 4],
    [2, 4],
  ]);
});

test('only what the outputs need is compiled and must be fed', async () => {
  const graph = new Graph();
  const x = graph.input('x', [2]);
  const unused = add(x, graph.input('y', [2]));
  const session = await Session.create({ outputs: { sum: sum(x) } });
  expect((await session.run({ x: [1, 2], y: [3, 4] })).sum[0]).toBe(3);
  expect(compile({ unused }).inputs.map(({ name }) => name)).toEqual(['x', 'y']);
  expect(compile({ total: sum(x) }).inputs.map(({ name }) => name)).toEqual(['x']);
});

test('a feed that is missing, too short or not whole is refused by name', async () => {
  const graph = new Graph();
  const session = await Session.create({
    outputs: { y: embedding(graph.parameter('table', [3, 2]), graph.input('ids', [2], 'int32')) },
  });
  for (const feeds of [{}, { ids: [1] }, { ids: [1, 1.5] }]) {
    await expect(session.run(feeds)).rejects.toThrow(/Input ids int32\[2\]/);
  }
});

test.each<[DType, Feeds[string]]>([
  ['int32', Float32Array.of(1.7, 0)],
  ['int32', [2 ** 32 + 1, 0]],
  ['int32', Float64Array.of(Number.NaN, 0)],
  ['int32', BigInt64Array.of(2n ** 40n, 0n)],
  ['bool', [0.5, 1]],
  ['bool', [256, 1]],
  ['bool', Uint8Array.of(2, 1)],
])('a feed of %s that the type cannot hold is refused (%#)', async (dtype, values) => {
  const graph = new Graph();
  const session = await Session.create({ outputs: { y: cast(graph.input('x', [2], dtype), 'float32') } });
  await expect(session.run({ x: values })).rejects.toMatchObject({
    code: 'invalid-feed',
    message: expect.stringMatching(`^Input x ${dtype}\\[2\\]: .* at position 0 is no ${dtype}$`),
  });
  expect([...(await session.run({ x: Float32Array.of(1, 0) })).y]).toEqual([1, 0]);
});

test('a failure at run time names the line that asked for the op, and leaves the variables', async () => {
  const graph = new Graph();
  const table = graph.parameter('table', [3, 2], normal(1));
  const ids = graph.input('ids', [2], 'int32');
  const loss = mean(embedding(table, add(ids, 1)));
  const updates = sgd().update([table], gradients(loss, [table]));
  const session = await Session.create({ outputs: { loss }, updates });
  const before = [...(await session.variables.read('table'))];
  const failure = session.run({ ids: [0, 2], 'sgd.learningRate': 1 });
  await expect(failure).rejects.toMatchObject({ code: 'run-failed' } satisfies Partial<RedefError>);
  await expect(failure).rejects.toThrow(/session\.test\.ts:\d+: .*Gather/);
  expect([...(await session.variables.read('table'))]).toEqual(before);
  await session.run({ ids: [0, 1], 'sgd.learningRate': 1 }); // and it goes on
});

test.each([3, 2000])('an id that is no row is refused where it is fed, by its position: table of %i', async (rows) => {
  const graph = new Graph();
  const table = graph.parameter('table', [rows, 2], normal(1));
  const ids = graph.input('ids', [2, 2], 'int32');
  const loss = sum(embedding(table, reshape(ids, [4])));
  const [gradient] = gradients(loss, [table]) as [Tensor];
  for (const outputs of [{ loss }, { gradient }]) {
    const session = await Session.create<string>({ outputs });
    for (const wrong of [-1, rows]) {
      await expect(session.run({ ids: [0, 1, wrong, -2] })).rejects.toMatchObject({
        code: 'invalid-feed',
        message: expect.stringMatching(
          new RegExp(
            `^Input ids int32\\[2, 2\\]: ${wrong} at position 2 is not from 0 to ${rows - 1}, as .*session\\.test\\.ts:\\d+`,
          ),
        ),
      });
    }
    await session.run({ ids: [0, 1, rows - 1, 0] });
  }
  const fixed = graph.constant([0, -1], [2], 'int32');
  expect(() => embedding(table, fixed)).toThrow(/-1 at position 1 is not from 0/);
});

test('a label that is no class is refused where it is fed; the ignored one is none', async () => {
  const graph = new Graph();
  const logits = graph.input('logits', [2, 3]);
  const loss = crossEntropy(logits, graph.input('labels', [2], 'int32'));
  const [gradient] = gradients(loss, [logits]) as [Tensor];
  for (const outputs of [{ loss }, { gradient }]) {
    const session = await Session.create<string>({ outputs });
    for (const wrong of [-1, 3]) {
      await expect(session.run({ logits: new Float32Array(6), labels: [0, wrong] })).rejects.toMatchObject({
        code: 'invalid-feed',
        message: expect.stringContaining(`${wrong} at position 1 is not from 0 to 2, nor -100`),
      });
    }
    await session.run({ logits: new Float32Array(6), labels: [2, -100] });
  }
});

test('two runs at once are refused', async () => {
  const graph = new Graph();
  const session = await Session.create({ outputs: { y: sum(graph.input('x', [1])) } });
  const first = session.run({ x: 1 });
  await expect(session.run({ x: 1 })).rejects.toMatchObject({ code: 'session-busy' });
  expect((await first).y[0]).toBe(1);
});

test('sessions of several graphs share variables; another shape is refused', async () => {
  const model = (rows: number, inputs = 2) => {
    const graph = new Graph();
    const x = graph.input('x', [rows, inputs]);
    return { graph, y: linear(x, graph.parameter('w', [1, inputs], normal(1))) };
  };
  const { graph, y } = model(4);
  const loss = meanSquaredError(y, graph.input('target', [4, 1]));
  const optimizer = sgd();
  const updates = optimizer.update(graph.parameters, gradients(loss, graph.parameters));
  const training = await Session.create({ outputs: { loss }, updates, rng: createRng(3) });
  const { variables } = training;
  const evaluation = await Session.create({ outputs: { y: model(1).y }, variables });
  const data = { x: [1, 0, 0, 1, 1, 1, 2, 1], target: [2, 3, 5, 7] }; // 2 a + 3 b
  for (let step = 1; step <= 300; step++) await training.run({ ...data, ...optimizer.feeds(step, 0.2) });
  expect((await evaluation.run({ x: [10, 1] })).y[0]).toBeCloseTo(23, 3);
  await expect(Session.create({ outputs: { y: model(1, 3).y }, variables })).rejects.toMatchObject({
    code: 'shape-mismatch',
  });
});

test('first values depend on the seed and the name, not on what else there is', async () => {
  const values = async (names: string[], seed: number) => {
    const graph = new Graph();
    const parts = names.map((name) => sum(graph.parameter(name, [3], normal(1))));
    const session = await Session.create({ outputs: { y: parts.reduce(add) }, rng: createRng(seed) });
    return [...(await session.variables.read('w'))];
  };
  expect(await values(['v', 'w'], 1)).toEqual(await values(['w'], 1));
  expect(await values(['w'], 1)).not.toEqual(await values(['w'], 2));
});

test('dropout keeps the expectation, and its mask is the seed’s', async () => {
  const graph = new Graph();
  const x = graph.input('x', [100, 100]);
  const session = await Session.create({ outputs: { y: dropout(x, 0.1), z: dropout(x, 0.1) } });
  const feeds = { x: new Float32Array(10_000).fill(1) };
  await expect(session.run(feeds)).rejects.toMatchObject({ code: 'missing-seed' });
  const { y, z } = await session.run(feeds, { seed: 'a' });
  const zeros = y.filter((value) => value === 0).length;
  expect(zeros).toBeGreaterThan(850); // 1,000 expected, standard deviation 30
  expect(zeros).toBeLessThan(1150);
  expect(Math.max(...(y as Float32Array))).toBeCloseTo(1 / 0.9, 4);
  expect([...z]).not.toEqual([...y]); // each dropout of a graph has a mask of its own
  expect((await session.run(feeds, { seed: 'a' })).y).toEqual(y);
  expect((await session.run(feeds, { seed: 'b' })).y).not.toEqual(y);
});

test('equal seeds give equal bits over a training with dropout', async () => {
  const train = async () => {
    const graph = new Graph();
    const x = graph.input('x', [8, 16]);
    const y = linear(dropout(x, 0.5), graph.parameter('w', [4, 16], normal(1)), graph.parameter('b', [4]));
    const loss = mean(multiply(y, y));
    const optimizer = adamW();
    const updates = optimizer.update(graph.parameters, gradients(loss, graph.parameters));
    const session = await Session.create({ outputs: { loss }, updates, rng: createRng(1) });
    const feeds = { x: Array.from({ length: 128 }, (_, index) => Math.sin(index)) };
    for (let step = 1; step <= 20; step++)
      await session.run({ ...feeds, ...optimizer.feeds(step, 0.01) }, { seed: step });
    return [...(await session.variables.read('w'))];
  };
  expect(await train()).toEqual(await train());
});

test('outputs are of one graph, and do not take the name of an input', async () => {
  const x = new Graph().input('x', [2]);
  const other = new Graph().input('y', [2]);
  await expect(Session.create({ outputs: { a: sum(x), b: sum(other) } })).rejects.toMatchObject({
    code: 'foreign-tensor',
  });
  await expect(Session.create({ outputs: { x: multiply(x, 2) } })).rejects.toMatchObject({ code: 'invalid-name' });
});

test('an update must be of a variable and keep its shape', async () => {
  const graph = new Graph();
  const w = graph.parameter('w', [2]);
  const x = graph.input('x', [2]);
  for (const updates of [
    [{ variable: x, next: w }],
    [{ variable: w, next: sum(w) }],
    [
      { variable: w, next: x },
      { variable: w, next: x },
    ],
  ]) {
    await expect(Session.create({ outputs: { y: multiply(x, 2) }, updates })).rejects.toMatchObject({
      code: 'shape-mismatch',
    });
  }
});

test('equal graphs compile to equal bytes, and weights are not among them', () => {
  const build = () => {
    const graph = new Graph();
    return compile({ y: linear(graph.input('x', [8, 1000]), graph.parameter('w', [1000, 1000])) }).model;
  };
  expect(build()).toEqual(build());
  expect(build().length).toBeLessThan(1000);
});
