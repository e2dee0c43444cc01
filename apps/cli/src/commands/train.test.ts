import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHub } from '../../../../packages/models/test/hub-server.js';
import { redef } from '../../test/harness.js';

let folder: string;
const ids = Array.from({ length: 120 }, (_, i) => i.toString(16).padStart(16, '0'));
const tables = ['--encoded', 'encoded', '--labels', 'labels', '--split', 'split'];

/** Encoded rows of which the defective ones hold the token 7. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-train-'));
  const rng = createRng('train');
  const write = (name: string, file: string, row: (id: string, index: number) => unknown) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, file), ids.map((id, index) => `${JSON.stringify(row(id, index))}\n`).join(''));
  };
  write('split', 'splits.jsonl', (id, i) => ({
    schema: 'redef.split/1',
    id,
    split: i < 80 ? 'train' : i < 100 ? 'validation' : 'test',
    rule: 'by-hand',
  }));
  write('labels', 'labels.jsonl', (id, i) => ({
    schema: 'redef.label/1',
    id,
    label: i % 3 === 0 ? 'defective' : 'clean',
    transition: null,
    agreed: true,
    decided_by: 'by-hand',
    rule_based: true,
  }));
  write('encoded', 'encoded.jsonl', (id, i) => ({
    schema: 'redef.encoded/1',
    id,
    encoding: 'diff-tags',
    tokenizer: 'numbers',
    max_tokens: 16,
    input_ids: [0, ...Array.from({ length: 6 }, () => (i % 3 === 0 ? 7 : 10 + rng.integer(40))), 2],
    tokens: 6,
    tokens_lost: 0,
    changed_lines: 1,
    changed_lines_shown: 1,
    changed_lines_kept: 1,
  }));
  const config = {
    model_type: 'roberta',
    vocab_size: 60,
    hidden_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 32,
    max_position_embeddings: 34,
  };
  writeFileSync(join(folder, 'tiny.json'), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a language model is trained from a config, tuned from its folder with LoRA, and predicts', async () => {
  const onnx = ['--engine', 'onnx', '--threads', '1', '--epochs', '6'];
  const first = [
    'train',
    ...tables,
    '--out',
    'model',
    ...onnx,
    '--base',
    'tiny.json',
    '--learning-rate',
    '0.01',
    '--tensorboard',
  ];
  const trained = await redef(folder, first);
  expect([trained.code, trained.stderr]).toEqual([0, '']);
  const record = JSON.parse(readFileSync(join(folder, 'model', 'training.json'), 'utf8'));
  expect(record).toMatchObject({ engine: 'onnx', files: ['config.json', 'model.safetensors'] });
  expect(record.epochs[record.bestEpoch - 1].validationF1).toBeGreaterThan(0.9);

  const second = [
    'train',
    ...tables,
    '--out',
    'tuned',
    ...onnx,
    '--base',
    'model',
    '--lora-rank',
    '2',
    '--learning-rate',
    '0.01',
    '--threshold',
    'validation',
  ];
  expect((await redef(folder, second)).code).toBe(0);
  for (const model of ['model', 'tuned']) {
    const out = `predictions-${model}`;
    const run = await redef(folder, [
      'predict',
      '--model',
      model,
      ...tables,
      '--out',
      out,
      '--engine',
      'onnx',
      '--device',
      'cpu',
    ]);
    expect(run.code).toBe(0);
    const rows = readFileSync(join(folder, out, 'predictions.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows).toHaveLength(20);
    expect(rows.filter(({ score, threshold, truth }) => score >= threshold === (truth === 1)).length).toBeGreaterThan(
      17,
    );
  }
});

test('a model is named as on the hub, in training with LoRA and in prediction', async () => {
  const base = fileURLToPath(
    new URL('../../../../packages/training/test/fixtures/peft-adapter/base/', import.meta.url),
  );
  const files = ['config.json', 'model.safetensors'].map((name) => [name, readFileSync(base + name)] as const);
  const hub = await startHub(Object.fromEntries(files));
  const env = { HF_ENDPOINT: hub.url, XDG_CACHE_HOME: join(folder, 'cache') };
  const onnx = ['--engine', 'onnx', '--threads', '1', '--base', 'hub:owner/model'];
  const train = ['train', ...tables, '--out', 'from-hub', ...onnx, '--epochs', '1', '--lora-rank', '2'];
  const trained = await redef(folder, train, { env });
  expect([trained.code, trained.stderr]).toEqual([0, '']);
  expect(readdirSync(join(folder, 'cache', 'redef', 'models'))).toEqual(['owner--model']);
  const predict = ['predict', '--model', 'from-hub', ...tables, '--out', 'predictions-hub', ...onnx];
  expect((await redef(folder, predict, { env })).code).toBe(0);
  await hub.close();
});

test.each([
  [['--engine', 'linear', '--batch-size', '4'], 2, /linear engine has no batchSize/],
  [['--engine', 'onnx'], 2, /no model to start from/],
  [['--engine', 'onnx', '--base', 'nowhere'], 3, /no such file or folder/],
  [['--engine', 'onnx', '--base', 'tiny.json', '--device', 'tpu'], 2, /device/],
  [['--engine', 'onnx', '--base', 'tiny.json', '--precision', 'float16'], 2, /CPU gains nothing by half precision/],
])('%j is refused in words', async (flags, code, message) => {
  const run = await redef(folder, ['train', ...tables, '--out', 'refused', ...flags]);
  expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(message)]);
});
