import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  adamW,
  clipByGlobalNorm,
  createDriver,
  createOnnxRuntimeDriver,
  crossEntropy,
  type Driver,
  Graph,
  gradients,
  Session,
  type Tensor,
  type TypedArray,
  webgpuLowering,
} from '@redef/autodiff';
import { describe, expect, test } from 'vitest';
import { useSoftwareAdapter } from '../../../scripts/software-adapter.js';
import {
  loadWeights,
  type ModelConfig,
  openCheckpoint,
  parseConfig,
  type RobertaConfig,
  robertaClassifier,
  robertaSeq2Seq,
  type T5Config,
  t5Classifier,
  t5Seq2Seq,
} from '../src/index.js';
import { relativePositionBucket } from '../src/t5/relative-position.js';

// Forward values and gradients of the models as test/fixtures/make_goldens.py defines them in PyTorch.

interface Golden {
  ids: number[][];
  target_ids?: number[][];
  labels: number[];
  logits: number[];
  loss: number;
}

const fixture = (path: string) => fileURLToPath(new URL(`./fixtures/${path}`, import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(fixture(path), 'utf8'));

const models: Record<string, (config: ModelConfig, ids: Tensor, targetIds: Tensor) => Tensor> = {
  'roberta-classifier': (config, ids) => robertaClassifier(ids, config as RobertaConfig, { classes: 3 }),
  'unixcoder-classifier': (config, ids) => robertaClassifier(ids, config as RobertaConfig, { classes: 3 }),
  'roberta-seq2seq': (config, ids, targetIds) =>
    robertaSeq2Seq(ids, targetIds, config as RobertaConfig, { decoderLayers: 2 }),
  't5-classifier': (config, ids) => t5Classifier(ids, config as T5Config, { classes: 3 }),
  't5-seq2seq': (config, ids, targetIds) => t5Seq2Seq(ids, targetIds, config as T5Config),
  't5-seq2seq-untied': (config, ids, targetIds) => t5Seq2Seq(ids, targetIds, config as T5Config),
};

const cpu = createOnnxRuntimeDriver();
const drivers: Record<string, Driver> = { cpu, webgpu: { ...cpu, lowering: webgpuLowering } };

describe.each(Object.keys(models))('%s', (name) => {
  test.each(Object.keys(drivers))('has the logits, loss and gradients of PyTorch, lowered for %s', async (lowering) => {
    await compareWithPytorch(name, drivers[lowering]!);
  });
});

useSoftwareAdapter();

test.for(['roberta-classifier', 't5-classifier'])(
  '%s has them on WebGPU itself',
  { timeout: 300_000 }, // it compiles hundreds of shaders
  async (name, { skip }) => {
    const driver = await createDriver('webgpu').catch(({ message, remedy }) => {
      console.warn(`SKIPPED: ${name} on WebGPU. ${message}. ${remedy}`);
    });
    if (!driver) return skip();
    await compareWithPytorch(name, driver);
  },
);

async function compareWithPytorch(name: string, driver: Driver): Promise<void> {
  const golden: Golden = readJson(`${name}/golden.json`);
  const config = parseConfig(readJson(`${name}/config.json`));
  const graph = new Graph();
  const input = (key: string, rows: number[][]) => graph.input(key, [rows.length, rows[0]!.length], 'int32');
  const ids = input('ids', golden.ids);
  const logits = models[name]!(config, ids, golden.target_ids ? input('target_ids', golden.target_ids) : ids);
  const labels = graph.input('labels', [golden.labels.length], 'int32');
  const loss = crossEntropy(logits, labels, golden.target_ids ? { ignoreLabel: config.pad_token_id } : {});
  const derivatives = gradients(loss, graph.parameters);
  const outputs: Record<string, Tensor> = { logits, loss };
  for (const [index, { name }] of graph.parameters.entries()) outputs[`gradient of ${name}`] = derivatives[index]!;
  const session = await Session.create({ outputs, driver });

  const checkpoint = await openCheckpoint(fixture(name));
  const report = await loadWeights(graph, session.variables, checkpoint);
  await checkpoint.close();
  expect(report).toMatchObject({ initialized: [], resized: [] });
  expect(report.loaded.sort()).toEqual(graph.parameters.map((parameter) => parameter.name).sort());

  const found = await session.run({
    ids: golden.ids.flat(),
    target_ids: golden.target_ids?.flat() ?? [],
    labels: golden.labels,
  });
  await session.close();
  expect(largestDifference(found.logits!, golden.logits)).toBeLessThan(1e-5);
  expect(Math.abs(Number(found.loss![0]) - golden.loss)).toBeLessThan(1e-5);

  const expected = await openCheckpoint(fixture(`${name}/gradients.bin`));
  for (const parameter of graph.parameters) {
    const gradient = await expected.tensors.get(parameter.name)!.read();
    const scale = Math.max(1e-2, ...gradient.map(Math.abs)); // gradients of key biases are 0 but for rounding
    expect(largestDifference(found[`gradient of ${parameter.name}`]!, gradient) / scale, parameter.name).toBeLessThan(
      1e-5,
    );
  }
  await expected.close();
}

interface LossCurve {
  batches: { ids: number[][]; target_ids?: number[][]; labels: number[] }[];
  rates: number[];
  losses: number[];
}

test.each(['roberta-classifier', 't5-classifier', 'roberta-seq2seq', 't5-seq2seq'])(
  '%s: the losses of 100 steps of training are those of PyTorch',
  async (name) => {
    const { batches, rates, losses }: LossCurve = readJson(`${name}/loss-curve.json`);
    const config = parseConfig(readJson(`${name}/config.json`));
    const [{ ids, target_ids: targetIds, labels }] = batches as [LossCurve['batches'][number]];
    const graph = new Graph();
    const input = (key: string, rows: number[][]) => graph.input(key, [rows.length, rows[0]!.length], 'int32');
    const sources = input('ids', ids);
    const logits = models[name]!(config, sources, targetIds ? input('target_ids', targetIds) : sources);
    const ignored = targetIds ? { ignoreLabel: config.pad_token_id } : {};
    const loss = crossEntropy(logits, graph.input('labels', [labels.length], 'int32'), ignored);
    const optimizer = adamW({ weightDecay: 0.01 });
    const clipped = clipByGlobalNorm(gradients(loss, graph.parameters), 1);
    const updates = optimizer.update(graph.parameters, clipped.gradients);
    const session = await Session.create({ outputs: { loss }, updates });
    const checkpoint = await openCheckpoint(fixture(name));
    await loadWeights(graph, session.variables, checkpoint);
    await checkpoint.close();

    let worst = 0;
    for (const [step, rate] of rates.entries()) {
      const batch = batches[step % batches.length]!;
      const feeds = { ids: batch.ids.flat(), target_ids: batch.target_ids?.flat() ?? [], labels: batch.labels };
      const found = await session.run({ ...feeds, ...optimizer.feeds(step + 1, rate) });
      worst = Math.max(worst, Math.abs(Number(found.loss[0]) - losses[step]!));
    }
    expect(losses.at(-1)!).toBeLessThan(0.97 * losses[0]!); // it does learn
    expect(worst).toBeLessThan(1e-4);
  },
);

test('relative positions fall into the buckets of the published implementation', () => {
  const { first, bidirectional, causal } = readJson('relative-position-buckets.json');
  const buckets = (isBidirectional: boolean) =>
    bidirectional.map((_: number, index: number) =>
      relativePositionBucket(first + index, { bidirectional: isBidirectional, buckets: 32, maxDistance: 128 }),
    );
  expect(buckets(true)).toEqual(bidirectional);
  expect(buckets(false)).toEqual(causal);
});

function largestDifference(found: TypedArray, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  let worst = 0;
  for (let index = 0; index < expected.length; index++) {
    worst = Math.max(worst, Math.abs(Number(found[index]) - expected[index]!));
  }
  return worst;
}
