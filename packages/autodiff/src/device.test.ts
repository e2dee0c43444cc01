import { createRng, RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { useSoftwareAdapter } from '../../../scripts/software-adapter.js';
import { createDriver, type Device } from './device.js';
import type { Driver } from './driver.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { normal, ones } from './initializers.js';
import { crossEntropy } from './losses.js';
import { attention } from './ops/attention.js';
import { dropout } from './ops/dropout.js';
import { embedding } from './ops/embedding.js';
import { gelu } from './ops/functions.js';
import { layerNorm, rmsNorm } from './ops/normalization.js';
import { linear } from './ops/products.js';
import { reshape } from './ops/reshaping.js';
import { adamW } from './optimizers/adam.js';
import { clipByGlobalNorm } from './optimizers/clip.js';
import { Session } from './session.js';

useSoftwareAdapter();

async function open(device: Device): Promise<Driver | RedefError> {
  return createDriver(device, { threads: 1 }).catch((error) => {
    if (RedefError.isInstance(error)) return error;
    throw error;
  });
}

/** A small network of all that the language models are made of. */
async function train(driver: Driver) {
  const [batch, length, width, heads] = [2, 6, 16, 2];
  const graph = new Graph();
  const parameter = (name: string, ...shape: number[]) => graph.parameter(name, shape, normal(0.3));
  const scale = (name: string) => graph.parameter(name, [width], ones);
  const ids = graph.input('ids', [batch, length], 'int32');
  let x = reshape(embedding(parameter('table', 1200, width), ids), [batch * length, width]);
  x = layerNorm(x, scale('scale'), graph.parameter('shift', [width]));
  const split = (y: typeof x) => reshape(y, [batch, heads, length, width / heads]);
  const [query, key, value] = ['q', 'k', 'v'].map((name) => split(linear(x, parameter(name, width, width))));
  x = reshape(attention(query!, key!, value!, { dropoutRate: 0.1 }), [batch * length, width]);
  x = rmsNorm(
    dropout(gelu(linear(x, parameter('up', 32, width), graph.parameter('bias', [32]))), 0.2),
    graph.parameter('rms', [32], ones),
  );
  const logits = linear(x, parameter('down', 3, 32));
  const loss = crossEntropy(logits, graph.input('labels', [batch * length], 'int32'));
  const clipped = clipByGlobalNorm(gradients(loss, graph.parameters), 1);
  const optimizer = adamW();
  const updates = optimizer.update(graph.parameters, clipped.gradients);
  const session = await Session.create({ outputs: { loss, norm: clipped.norm }, updates, rng: createRng(5), driver });
  const feeds = {
    ids: Array.from({ length: batch * length }, (_, index) => (index * 7) % 50),
    labels: Array.from({ length: batch * length }, (_, index) => index % 3),
  };
  const numbers: number[] = [];
  for (let step = 1; step <= 8; step++) {
    const { loss, norm } = await session.run({ ...feeds, ...optimizer.feeds(step, 0.01) }, { seed: step });
    numbers.push(Number(loss[0]), Number(norm[0]));
  }
  const locations = session.variables.names.map((name) => session.variables.get(name).onDevice);
  for (const name of session.variables.names) {
    numbers.push(...Array.from(await session.variables.read(name), Number));
  }
  await session.close();
  return { numbers, locations };
}

test('the CPU is there, and auto finds something', async () => {
  expect(await open('cpu')).toMatchObject({ id: 'onnxruntime-native/cpu' });
  expect(await open('auto')).not.toBeInstanceOf(RedefError);
  expect(await open('tpu' as Device)).toMatchObject({ code: 'invalid-option' });
});

test.for(['cuda', 'dml'] as const)(
  '%s trains as the CPU does, or says which command brings it',
  async (device, { skip }) => {
    const driver = await open(device);
    if (driver instanceof RedefError) {
      expect(driver.code).toBe('provider-unavailable');
      expect(driver.message).toContain(`'${device}'`);
      expect(driver.remedy).toMatch(/ONNXRUNTIME_NODE_INSTALL=cuda12 node .*install\.js|--device/);
      console.warn(`SKIPPED: training on ${device}, which is not here: ${driver.message}`);
      return skip();
    }
    await sameAsCpu(driver);
  },
);

test('WebGPU trains as the CPU does, and its variables stay on the device', async ({ skip }) => {
  const driver = await open('webgpu');
  if (driver instanceof RedefError) {
    expect(driver.remedy).toMatch(/apt-get install|npm install/);
    console.warn(`SKIPPED: training on WebGPU, which is not here: ${driver.message}. ${driver.remedy}`);
    return skip();
  }
  const { locations } = await sameAsCpu(driver);
  expect(new Set(locations)).toEqual(new Set([true]));
  const half = await createDriver('webgpu', { precision: 'float16' }).catch((error: RedefError) => error);
  if (half instanceof RedefError) {
    expect(half).toMatchObject({ code: 'provider-unavailable', remedy: expect.stringContaining('float32') });
    console.warn(`SKIPPED: half precision on WebGPU, which the adapter does not have: ${half.message}`);
  } else await sameAsCpu(half, 3e-2);
}, 300_000); // it compiles hundreds of shaders

async function sameAsCpu(driver: Driver, tolerance = 1e-4) {
  const found = await train(driver);
  const expected = await train((await open('cpu')) as Driver);
  const differences = expected.numbers.map((value, index) => Math.abs(value - found.numbers[index]!));
  expect(Math.max(...differences)).toBeLessThan(tolerance);
  return found;
}
