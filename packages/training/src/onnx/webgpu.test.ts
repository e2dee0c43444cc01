import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDriver, Variables } from '@redef/autodiff';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useSoftwareAdapter } from '../../../../scripts/software-adapter.js';
import { generateExamples, tinyRoberta } from '../../test/examples.js';
import { bags, bagTask } from '../../test/tiny-task.js';
import { type FitEvent, fitLoop } from '../fit/fit-loop.js';
import { createOnnxEngine } from './onnx-engine.js';

useSoftwareAdapter();

let root: string;
let missing: string | undefined;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-webgpu-'));
  await createDriver('webgpu').catch(({ message, remedy }) => {
    missing = `${message}. ${remedy}`;
    console.warn(`SKIPPED: training on WebGPU. ${missing}`);
  });
});
afterAll(() => rmSync(root, { recursive: true }));

test('a language model is trained and scores as on the CPU, dropout included', { timeout: 300_000 }, async ({
  skip,
}) => {
  if (missing) return skip();
  const examples = generateExamples('webgpu', 60)
    .filter(({ inputIds }) => inputIds.length > 16)
    .slice(0, 18); // one shape
  const run = async (device: 'cpu' | 'webgpu') => {
    const engine = createOnnxEngine({
      model: { config: tinyRoberta },
      device,
      learningRate: 5e-3,
      epochs: 2,
      batchSize: 6,
    });
    const folder = join(root, device);
    const numbers: number[] = [];
    const onEvent = ({ loss }: { loss?: number }) => numbers.push(loss!);
    await engine.fit({ folder, train: examples, validation: examples, seed: 1 }, { onEvent });
    for await (const { logits } of engine.predict(folder, examples)) numbers.push(...logits!);
    return numbers;
  };
  const [cpu, webgpu] = [await run('cpu'), await run('webgpu')];
  expect(webgpu).toHaveLength(6 + 36);
  for (const [index, value] of cpu.entries()) expect(Math.abs(webgpu[index]! - value)).toBeLessThan(1e-4);
});

test('weights and moments stay in the buffers of the device from step to step', { timeout: 300_000 }, async ({
  skip,
}) => {
  if (missing) return skip();
  const variables = new Variables(await createDriver('webgpu'));
  const onDevice: boolean[] = [];
  const onEvent = (event: FitEvent) => {
    if (event.type === 'progress') onDevice.push(...variables.names.map((name) => variables.get(name).onDevice));
  };
  const settings = { epochs: 1, batchSize: 4, accumulation: 2, learningRate: 0.05 };
  const folder = join(root, 'buffers');
  await fitLoop({
    task: bagTask(),
    items: bags('items', 24),
    variables,
    folder,
    identity: 'bags',
    seed: 7,
    settings,
    onEvent,
  });
  expect(onDevice).toHaveLength(3 * (3 + 2 * 3 + 3)); // weights, two moments and a sum of each, at each of three steps
  expect(new Set(onDevice)).toEqual(new Set([true]));
});
