import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCheckpoint, parseConfig, type TensorToWrite, writeSafetensors } from '@redef/models';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateExamples, tinyRoberta, tinyT5 } from '../../test/examples.js';
import type { Example, Score, TrainedModel } from '../engine.js';
import { buildClassifier } from './classifier.js';
import { completeLora } from './lora.js';
import { mergeAdapter } from './merge-adapter.js';
import { createOnnxEngine } from './onnx-engine.js';

let root: string;
let base: TrainedModel;
let adapter: TrainedModel;
const train = generateExamples('train', 120);
const validation = generateExamples('validation', 40);
const settings = { epochs: 4, threads: 1 };
const engine = () =>
  createOnnxEngine({
    ...settings,
    model: { checkpoint: base.folder },
    learningRate: 2e-2,
    lora: { rank: 2, alpha: 4, targets: ['query', 'value', 'intermediate.dense'] },
  });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-lora-'));
  const full = createOnnxEngine({ ...settings, model: { config: tinyRoberta }, learningRate: 5e-3 });
  base = await full.fit({ folder: join(root, 'base'), train, validation, seed: 1 });
  // The other way round, with a tag that the base has no row for.
  const turned = (examples: readonly Example[]) =>
    examples.map((example) => ({
      ...example,
      inputIds: [0, 60, ...Array.from(example.inputIds).slice(1)],
      label: (1 - example.label) as 0 | 1,
    }));
  adapter = await engine().fit({
    folder: join(root, 'adapter'),
    train: turned(train),
    validation: turned(validation),
    seed: 2,
  });
});
afterAll(() => rmSync(root, { recursive: true }));

const tensorsOf = async (path: string) => {
  const checkpoint = await openCheckpoint(path);
  const shapes = Object.fromEntries([...checkpoint.tensors].map(([name, { shape }]) => [name, shape]));
  await checkpoint.close();
  return shapes;
};

test('an adapter learns what its base did not', () => {
  expect(base.epochs[base.bestEpoch - 1]!.validationF1).toBeGreaterThan(0.9);
  expect(adapter.epochs[adapter.bestEpoch - 1]!.validationF1).toBeGreaterThan(0.9);
});

test('it is saved in the layout of peft, with the rows of added tokens', async () => {
  expect(adapter.files).toEqual(['config.json', 'adapter_config.json', 'adapter_model.safetensors']);
  expect(JSON.parse(readFileSync(join(adapter.folder, 'adapter_config.json'), 'utf8'))).toEqual({
    peft_type: 'LORA',
    task_type: 'SEQ_CLS',
    base_model_name_or_path: base.folder,
    r: 2,
    lora_alpha: 4,
    lora_dropout: 0,
    target_modules: ['query', 'value', 'intermediate.dense'],
    modules_to_save: ['classifier'],
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
  });
  const layer = 'base_model.model.roberta.encoder.layer.0.';
  expect(await tensorsOf(join(adapter.folder, 'adapter_model.safetensors'))).toEqual({
    'base_model.model.roberta.embeddings.word_embeddings.weight': [124, 16],
    [`${layer}attention.self.query.lora_A.weight`]: [2, 16],
    [`${layer}attention.self.query.lora_B.weight`]: [16, 2],
    [`${layer}attention.self.value.lora_A.weight`]: [2, 16],
    [`${layer}attention.self.value.lora_B.weight`]: [16, 2],
    [`${layer}intermediate.dense.lora_A.weight`]: [2, 16],
    [`${layer}intermediate.dense.lora_B.weight`]: [32, 2],
    'base_model.model.classifier.dense.weight': [16, 16],
    'base_model.model.classifier.dense.bias': [16],
    'base_model.model.classifier.out_proj.weight': [2, 16],
    'base_model.model.classifier.out_proj.bias': [2],
  });
  expect(statSync(join(adapter.folder, 'adapter_model.safetensors')).size).toBeLessThan(20_000);
});

test('in T5 the additions go to query and value as well', () => {
  const config = parseConfig(tinyT5);
  const classifier = { config, lora: completeLora({ rank: 2, alpha: 2 }, config) };
  const { parameters } = buildClassifier(classifier, { rows: 1, lengths: [8] }, { training: true });
  const layer = 'encoder.block.0.layer.0.SelfAttention.';
  expect(parameters.map(({ name, shape }) => `${name} ${shape}`)).toEqual([
    `${layer}q.lora_A.weight 2,16`,
    `${layer}q.lora_B.weight 16,2`,
    `${layer}v.lora_A.weight 2,16`,
    `${layer}v.lora_B.weight 16,2`,
    'classifier.dense.weight 16,16',
    'classifier.dense.bias 16',
    'classifier.out_proj.weight 2,16',
    'classifier.out_proj.bias 2',
  ]);
});

test('merged into its base it scores as it did beside it', async () => {
  const out = join(root, 'merged');
  await mergeAdapter({ adapter: adapter.folder, base: base.folder, out });
  const scores: Score[] = [];
  for await (const score of createOnnxEngine({ threads: 1 }).predict(adapter.folder, validation)) scores.push(score);
  const plain = createOnnxEngine({ threads: 1 });
  let index = 0;
  for await (const { id, score, logits } of plain.predict(out, validation)) {
    const beside = scores[index++]!;
    expect(id).toBe(beside.id);
    expect(score).toBeCloseTo(beside.score, 5);
    expect(logits![0]).toBeCloseTo(beside.logits![0], 4);
  }
  const spread = scores.map(({ score }) => score);
  expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(0.5);
});

const fixture = (path: string) => fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));

async function logitsOf(adapterFolder: string, baseFolder: string, rows: readonly ArrayLike<number>[]) {
  const engine = createOnnxEngine({ model: { checkpoint: baseFolder }, threads: 1 });
  const examples = rows.map((inputIds, index) => ({ id: `${index}`, inputIds }));
  const logits: number[] = [];
  for await (const score of engine.predict(adapterFolder, examples)) logits.push(...score.logits!);
  return logits;
}

test('an adapter as peft saves it gives the logits of PyTorch', async () => {
  const golden = JSON.parse(readFileSync(fixture('peft-adapter/golden.json'), 'utf8'));
  const found = await logitsOf(fixture('peft-adapter'), fixture('peft-adapter/base'), golden.rows);
  expect(found).toHaveLength(6);
  for (const [index, logit] of golden.logits.flat().entries())
    expect(Math.abs(found[index]! - logit)).toBeLessThan(1e-5);
});

test('PyTorch reads our adapter by the rules of peft, and gives its logits', async ({ skip }) => {
  const rows = validation.slice(0, 6).map(({ inputIds }) => [0, 60, ...Array.from(inputIds).slice(1)]);
  const python = (...args: string[]) =>
    spawnSync('/usr/bin/python3', args, { input: JSON.stringify(rows), encoding: 'utf8' });
  if (python('-c', 'import torch').status !== 0) {
    console.warn('SKIPPED: our adapter read by PyTorch, which is not here. apt-get install python3-torch');
    return skip();
  }
  const { stdout, stderr } = python(fixture('peft_adapter.py'), 'logits', adapter.folder, base.folder);
  expect(stderr).toBe('');
  const expected: number[] = JSON.parse(stdout).flat();
  const found = await logitsOf(adapter.folder, base.folder, rows);
  expect(found).toHaveLength(12);
  for (const [index, logit] of expected.entries()) expect(Math.abs(found[index]! - logit)).toBeLessThan(1e-5);
});

test.each([
  [{ targets: ['nonsense'] }, "'nonsense'"],
  [{ targets: ['query', 'uery'] }, "'uery'"],
  [{ targets: [] }, 'names no layer'],
  [{ targets: [], modulesToSave: [] }, 'names no layer'],
  [{ modulesToSave: ['classifer'] }, "'classifer'"],
])('names that no layer has are refused: %j', async (names, told) => {
  const engine = createOnnxEngine({
    ...settings,
    model: { checkpoint: base.folder },
    lora: { rank: 2, alpha: 4, ...names },
  });
  const fit = engine.fit({ folder: join(root, 'unnamed'), train, validation, seed: 2 });
  await expect(fit).rejects.toMatchObject({ code: 'invalid-option', message: expect.stringContaining(told) });
  await expect(fit).rejects.toMatchObject({ remedy: expect.stringContaining('layer.0.attention.self.query') });
});

test('a target that also names a layer of the head, which is trained in full, is refused', async () => {
  const wide = createOnnxEngine({
    ...settings,
    model: { checkpoint: base.folder },
    lora: { rank: 2, alpha: 4, targets: ['dense'] },
  });
  const fit = wide.fit({ folder: join(root, 'wide'), train, validation, seed: 2 });
  await expect(fit).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('classifier.dense'),
  });
});

test.each([
  { peft_type: 'IA3' },
  { use_dora: true },
  { lora_bias: true },
  { trainable_token_indices: [1, 2] },
  { rank_pattern: { query: 4 } },
  { r: 0 },
  { target_modules: '.*' },
])('an adapter with %j is refused', async (change) => {
  const folder = mkdtempSync(join(root, 'other-'));
  cpSync(adapter.folder, folder, { recursive: true });
  const path = join(folder, 'adapter_config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
  const merge = mergeAdapter({ adapter: folder, base: base.folder, out: join(folder, 'out') });
  await expect(merge).rejects.toMatchObject({ code: 'unsupported-adapter' });
});

test('an adapter whose weights are of another shape, or no numbers, is refused by their names', async () => {
  const layer = 'base_model.model.roberta.encoder.layer.0.attention.self.query.lora_A.weight';
  const changed = async (change: (tensor: TensorToWrite) => TensorToWrite) => {
    const folder = mkdtempSync(join(root, 'spoilt-'));
    cpSync(adapter.folder, folder, { recursive: true });
    const checkpoint = await openCheckpoint(join(adapter.folder, 'adapter_model.safetensors'));
    const tensors = [...checkpoint.tensors].map(([name, tensor]) => {
      const whole = { name, shape: tensor.shape, read: () => tensor.read() };
      return name === layer ? change(whole) : whole;
    });
    await writeSafetensors(join(folder, 'adapter_model.safetensors'), tensors);
    await checkpoint.close();
    return mergeAdapter({ adapter: folder, base: base.folder, out: join(folder, 'out') });
  };
  await expect(changed((tensor) => ({ ...tensor, shape: [16, 2] }))).rejects.toMatchObject({
    code: 'weights-mismatch',
    message: expect.stringContaining(`${layer} is [16, 2], the model has [2, 16]`),
  });
  await expect(
    changed((tensor) => ({ ...tensor, read: async () => new Float32Array(32).fill(Number.NaN) })),
  ).rejects.toMatchObject({ code: 'corrupt-weights', message: expect.stringContaining(layer) });
});

test('an adapter without its base is refused in words', async () => {
  const homeless = createOnnxEngine({ model: { config: tinyRoberta } });
  await expect(homeless.predict(adapter.folder, validation)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'invalid-option',
    remedy: expect.stringContaining(base.folder),
  });
  await expect(mergeAdapter({ adapter: base.folder, base: base.folder, out: root })).rejects.toMatchObject({
    code: 'file-missing',
  });
});
