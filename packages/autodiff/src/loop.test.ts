import { createRng } from '@redef/core';
import { expect, test } from 'vitest';
import type { Driver } from './driver.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { normal } from './initializers.js';
import { crossEntropy } from './losses.js';
import { createOnnxRuntimeDriver } from './onnxruntime-driver.js';
import { add } from './ops/arithmetic.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { linear } from './ops/products.js';
import { adamW } from './optimizers/adam.js';
import { Session, type Step } from './session.js';

// Steps looped inside the graph, as for CUDA and DirectML; on the CPU, where they must not change a bit.

const cpu = createOnnxRuntimeDriver({ threads: 1 });
const looping: Driver = { ...cpu, loopsSteps: true };

async function model(driver: Driver) {
  const graph = new Graph();
  const frozen = graph.parameter('table', [20, 8], normal(1)); // is read, and stays as it is
  const ids = add(graph.input('ids', [16], 'int32'), graph.input('shift', [], 'int32'));
  const hidden = dropout(embedding(frozen, ids), 0.3);
  const w = graph.parameter('w', [4, 8], normal(0.3));
  const b = graph.parameter('b', [4]);
  const logits = linear(hidden, w, b);
  const loss = crossEntropy(logits, graph.input('labels', [16], 'int32'));
  const optimizer = adamW();
  const updates = optimizer.update([w, b], gradients(loss, [w, b]));
  const session = await Session.create({ outputs: { loss, logits }, updates, rng: createRng(2), driver });
  const step = (number: number): Step => ({
    feeds: {
      ids: Array.from({ length: 16 }, (_, index) => (index * number) % 20),
      shift: 0,
      labels: Array.from({ length: 16 }, (_, index) => (index + number) % 4),
      ...optimizer.feeds(number, 0.01),
    },
    seed: number,
  });
  const read = async () =>
    Promise.all(session.variables.names.map(async (name) => [name, ...(await session.variables.read(name))]));
  return { session, step, read };
}

test('several steps in one run have the bits of as many runs, and go on from there', async () => {
  const [one, many] = [await model(cpu), await model(looping)];
  for (const numbers of [[1, 2, 3, 4, 5], [6, 7], [8]]) {
    const expected = [];
    for (const { feeds, seed } of numbers.map(one.step)) expected.push(await one.session.run(feeds, { seed: seed! }));
    expect(await many.session.runSteps(numbers.map(many.step))).toEqual(expected);
    expect(await many.read()).toEqual(await one.read());
  }
  expect(await many.session.runSteps([])).toEqual([]);
  await one.session.close();
  await many.session.close();
});

test('where variables stay on the device anyway, steps are runs', async () => {
  const [one, many] = [await model(cpu), await model(cpu)];
  const { feeds, seed } = one.step(1);
  const expected = await one.session.run(feeds, { seed: seed! });
  expect(await many.session.runSteps([many.step(1)])).toEqual([expected]);
});

test('a failure inside names the line, and the variables keep their values', async () => {
  const { session, step, read } = await model(looping);
  const before = await read();
  const wrong = step(2);
  const failing = [step(1), { ...wrong, feeds: { ...wrong.feeds, shift: 20 } }];
  const failure = session.runSteps(failing);
  await expect(failure).rejects.toMatchObject({ code: 'run-failed' });
  await expect(failure).rejects.toThrow(/loop\.test\.ts:\d+: .*Gather/);
  expect(await read()).toEqual(before);
  await expect(session.runSteps([step(1), { feeds: step(2).feeds }])).rejects.toMatchObject({ code: 'missing-seed' });
  await session.runSteps([step(1), step(2)]);
});
