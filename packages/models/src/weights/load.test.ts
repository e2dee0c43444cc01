import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnnxRuntimeDriver, Graph, Variables } from '@redef/autodiff';
import { createRng, type RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import type { RobertaConfig } from '../config.js';
import { parseConfig } from '../config.js';
import { robertaClassifier } from '../roberta/classifier.js';
import { robertaSeq2Seq } from '../roberta/seq2seq.js';
import { type Checkpoint, type CheckpointTensor, openCheckpoint } from './checkpoint.js';
import { loadWeights, resizeRows } from './load.js';
import { saveWeights } from './save.js';

const config = parseConfig({
  model_type: 'roberta',
  vocab_size: 20,
  hidden_size: 4,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 8,
  max_position_embeddings: 12,
}) as RobertaConfig;

function classifier(vocabulary = config.vocab_size): Graph {
  const graph = new Graph();
  robertaClassifier(graph.input('ids', [1, 4], 'int32'), { ...config, vocab_size: vocabulary });
  return graph;
}

/** A checkpoint in memory whose tensors are filled with their place in the list. */
function checkpointOf(graph: Graph, rename: (name: string) => string | undefined): Checkpoint {
  const tensors = new Map(
    graph.parameters.flatMap(({ name, shape }, index) => {
      const renamed = rename(name);
      const size = shape.reduce((product, length) => product * length, 1);
      return renamed === undefined
        ? []
        : [[renamed, { shape, dtype: 'float32', read: async () => new Float32Array(size).fill(index) }] as const];
    }),
  );
  return { tensors, close: async () => {} };
}

const fresh = () => new Variables(createOnnxRuntimeDriver());

test.each<[string, (name: string) => string]>([
  ['as we name them', (name) => name],
  ['from the bare encoder', (name) => name.replace(/^roberta\./, '')],
  ['from a wrapper of a fine-tuning script', (name) => name.replace(/^roberta\./, 'encoder.')],
  ['from a wrapper on several GPUs', (name) => name.replace(/^roberta\./, 'module.encoder.')],
  ['from an early library', (name) => name.replace(/Norm\.weight$/, 'Norm.gamma').replace(/Norm\.bias$/, 'Norm.beta')],
])('encoder weights %s are found', async (_name, rename) => {
  const graph = classifier();
  const variables = fresh();
  const report = await loadWeights(graph, variables, checkpointOf(graph, rename));
  expect(report).toMatchObject({ initialized: [], surplus: [], resized: [] });
  for (const [index, { name }] of graph.parameters.entries()) {
    expect((await variables.read(name))[0], name).toBe(index);
  }
});

test('the decoder of a repair model starts anew from an encoder’s checkpoint, and its encoder does not', async () => {
  const graph = new Graph();
  const ids = graph.input('ids', [1, 4], 'int32');
  robertaSeq2Seq(ids, ids, config, { decoderLayers: 1 });
  const report = await loadWeights(
    graph,
    fresh(),
    checkpointOf(classifier(), (name) => (name.startsWith('roberta.') ? name.slice(8) : undefined)),
  );
  expect(report.loaded).toHaveLength(classifier().parameters.length - 4);
  expect(report.initialized.every((name) => /^(decoder|dense)\./.test(name))).toBe(true);
  expect(report.initialized).toContain('decoder.layers.0.self_attn.in_proj_weight');
});

test('a head that is missing is drawn from the seed and reported; surplus tensors are named', async () => {
  const graph = classifier();
  const checkpoint = checkpointOf(graph, (name) => (name.startsWith('classifier') ? `cls.${name}` : name));
  const read = async (seed: number) => {
    const variables = fresh();
    const report = await loadWeights(graph, variables, checkpoint, { rng: createRng(seed) });
    expect(report.initialized).toEqual([
      'classifier.dense.weight',
      'classifier.dense.bias',
      'classifier.out_proj.weight',
      'classifier.out_proj.bias',
    ]);
    expect(report.surplus).toEqual(report.initialized.map((name) => `cls.${name}`));
    return variables.read('classifier.dense.weight');
  };
  expect(await read(1)).toEqual(await read(1));
  expect(await read(1)).not.toEqual(await read(2));
});

test('what must not be missing, and shapes that differ, are all named, and nothing is set', async () => {
  const graph = classifier();
  const checkpoint = checkpointOf(graph, (name) => (name.includes('query') ? undefined : name));
  const variables = fresh();
  const dense = 'roberta.encoder.layer.0.output.dense.weight';
  const tensors = new Map(checkpoint.tensors).set(dense, {
    shape: [4, 9],
    dtype: 'float32',
    read: async () => new Float32Array(36),
  });
  const loading = loadWeights(graph, variables, { ...checkpoint, tensors });
  await expect(loading).rejects.toMatchObject({ code: 'weights-mismatch' } satisfies Partial<RedefError>);
  await expect(loading).rejects.toThrow(/missing: roberta\.encoder\.layer\.0\.attention\.self\.query\.weight/);
  await expect(loading).rejects.toThrow(/query\.bias/);
  await expect(loading).rejects.toThrow(/output\.dense\.weight is \[4, 9\], the model has \[4, 8\]/);
  expect(variables.names).toEqual([]);
});

test('integers are no weights, and what is no number is none', async () => {
  const graph = classifier();
  const checkpoint = checkpointOf(graph, (name) => name);
  const name = 'roberta.encoder.layer.0.output.dense.weight';
  const loading = (changes: Partial<CheckpointTensor>) => {
    const tensors = new Map(checkpoint.tensors).set(name, { ...checkpoint.tensors.get(name)!, ...changes });
    return loadWeights(graph, fresh(), { ...checkpoint, tensors });
  };
  for (const dtype of ['int8', 'uint8', 'int64', 'bool'] as const) {
    await expect(loading({ dtype })).rejects.toMatchObject({
      code: 'weights-mismatch',
      message: expect.stringContaining(`${name} is ${dtype}`),
    });
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(loading({ read: async () => new Float32Array(32).fill(value, 5) })).rejects.toMatchObject({
      code: 'corrupt-weights',
      message: `${name}: the weight at position 5 is ${value}`,
    });
  }
  for (const dtype of ['float16', 'bfloat16', 'float64'] as const) await loading({ dtype });
});

test('word embeddings get seeded rows for added tokens, or lose rows', async () => {
  const checkpoint = checkpointOf(classifier(), (name) => name);
  const name = 'roberta.embeddings.word_embeddings.weight';
  for (const [vocabulary, length] of [
    [23, 92],
    [18, 72],
  ] as const) {
    const variables = fresh();
    const report = await loadWeights(classifier(vocabulary), variables, checkpoint);
    expect(report.resized).toEqual([{ name, from: 20, to: vocabulary }]);
    expect(await variables.read(name)).toHaveLength(length);
  }
});

test('new rows have the mean and deviation of the old ones', () => {
  const rng = createRng(1);
  const table = Float32Array.from({ length: 400 }, () => 3 + 2 * rng.normal());
  const resized = resizeRows(table, [2000, 4], createRng(2));
  expect(resized.subarray(0, 400)).toEqual(table);
  const added = resized.subarray(400);
  const mean = added.reduce((sum, value) => sum + value, 0) / added.length;
  const variance = added.reduce((sum, value) => sum + (value - mean) ** 2, 0) / added.length;
  expect(mean).toBeGreaterThan(2.7);
  expect(mean).toBeLessThan(3.3);
  expect(Math.sqrt(variance)).toBeGreaterThan(1.7);
  expect(Math.sqrt(variance)).toBeLessThan(2.3);
  expect(resizeRows(table, [2000, 4], createRng(2))).toEqual(resized);
});

test('saved weights load again, bit for bit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'redef-save-'));
  try {
    const graph = classifier();
    const variables = fresh();
    await loadWeights(graph, variables, { tensors: new Map(), close: async () => {} }, { mayBeMissing: () => true });
    await saveWeights(folder, graph, variables, config, { maxShardBytes: 400 });
    const checkpoint = await openCheckpoint(folder);
    const again = fresh();
    expect(await loadWeights(graph, again, checkpoint)).toMatchObject({ initialized: [], surplus: [], resized: [] });
    for (const { name } of graph.parameters) expect(await again.read(name), name).toEqual(await variables.read(name));
    await checkpoint.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
