import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnnxRuntimeDriver, Session, Variables } from '@redef/autodiff';
import { createRng } from '@redef/core';
import { parseConfig } from '@redef/models';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PredictOptions, predictRepairs } from './predict-repairs.js';
import { loadRepairWeights, paperSettings, type RepairModel, readRepairModel, repairDecoder } from './repair-model.js';
import { Seq2SeqDecoder } from './seq2seq-decoder.js';
import { seq2seqTask } from './seq2seq-task.js';
import type { SequencePair, SequenceTokenizer } from './sequence-pair.js';
import { trainRepairModel } from './train-repair-model.js';

// Learns to write three symbols in reverse.

const t5 = parseConfig({
  model_type: 't5',
  vocab_size: 12,
  d_model: 32,
  d_kv: 8,
  d_ff: 64,
  num_heads: 4,
  num_layers: 1,
  dropout_rate: 0,
});
const roberta = parseConfig({
  model_type: 'roberta',
  vocab_size: 12,
  hidden_size: 32,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  intermediate_size: 64,
  max_position_embeddings: 40,
  hidden_dropout_prob: 0,
  attention_probs_dropout_prob: 0,
  initializer_range: 0.2,
});
const models: Record<string, RepairModel> = {
  t5: { config: t5, settings: { ...paperSettings(t5), max_source_tokens: 16, max_target_tokens: 8 } },
  roberta: {
    config: roberta,
    settings: { ...paperSettings(roberta), decoder_layers: 1, max_source_tokens: 16, max_target_tokens: 8 },
  },
};
const [begin, end, firstSymbol] = [10, 2, 3];

const rng = createRng('reverse');
const pairs = Array.from({ length: 30 }, (_, index): SequencePair => {
  const symbols = Array.from({ length: 3 }, () => firstSymbol + rng.integer(7));
  return {
    id: String(index),
    sourceIds: Int32Array.from([...symbols, end]),
    targetIds: Int32Array.from([begin, ...symbols.reverse(), end]),
    sourceCut: false,
    targetCut: false,
  };
});
const tokenizer: SequenceTokenizer = {
  id: 'symbols',
  size: 12,
  prefix: Int32Array.of(begin),
  suffix: Int32Array.of(end),
  encode: (text) => Int32Array.from(text, (letter) => letter.charCodeAt(0) - 97),
  decode: (ids) => String.fromCharCode(...Array.from(ids, (id) => 97 + id)),
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-repair-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const driver = () => createOnnxRuntimeDriver({ threads: 1 });

describe.each(['t5', 'roberta'])('%s', (family) => {
  const start: RepairModel = {
    ...models[family]!,
    settings: { ...models[family]!.settings, ...(family === 'roberta' && { start_token: begin }) },
  };

  test('learns, is written and read again, and its beam gives what it learnt', async () => {
    const path = join(folder, family);
    const trained = await trainRepairModel({
      folder: path,
      start,
      train: Array.from({ length: 10 }, () => pairs).flat(), // few epochs: each writes a checkpoint
      validation: pairs.slice(0, 12),
      seed: 1,
      settings: { epochs: 5, batchSize: 10, learningRate: 0.01, warmUp: 0.05 },
      lengthSteps: [4, 8],
      driver: driver(),
    });
    const losses = trained.epochs.map(({ validation }) => validation!);
    expect(trained.epochs[trained.bestEpoch - 1]!.validation).toBe(Math.min(...losses));
    expect(Math.min(...losses)).toBeLessThan(0.5 * losses[0]!);

    const model = await readRepairModel(path);
    expect(model).toEqual(trained.model);
    const variables = new Variables(driver());
    const report = await loadRepairWeights(path, model, variables, { mayBeMissing: () => false });
    expect(report.initialized).toEqual([]);
    const decoder = await Seq2SeqDecoder.create(repairDecoder(model), variables, { threads: 1 });
    const sources = pairs.map(({ sourceIds }) => sourceIds);
    const predict = (options: PredictOptions) => predictRepairs(decoder, model, tokenizer, sources, options);
    const found = await predict({ width: 3, batchSize: 25 });
    const draws = { width: 4, search: { kind: 'nucleus', rng: createRng(3), topP: 0.9 } } as const;
    const drawn = await predict({ ...draws, batchSize: 25 });
    const targets = (each: typeof drawn) => each.map((candidates) => candidates.map(({ target }) => target));
    expect(targets(await predict({ ...draws, batchSize: 4 }))).toEqual(targets(drawn));
    const diverse = await predict({ width: 4, search: { kind: 'diverse', groups: 2, diversityPenalty: 1 } });
    await decoder.close();
    for (const candidates of [...drawn, ...diverse]) {
      expect(new Set(candidates.map(({ target }) => target)).size).toBe(candidates.length);
    }
    for (const candidates of drawn) {
      const probabilities = candidates.map(({ probability }) => probability);
      expect(probabilities).toEqual([...probabilities].sort((a, b) => b - a));
    }
    expect(diverse.filter(([best], index) => best!.target === found[index]![0]!.target).length).toBeGreaterThan(25);
    const right = found.filter(
      ([best], index) => best!.target === tokenizer.decode(pairs[index]!.targetIds.slice(1, -1)),
    );
    expect(right.length).toBeGreaterThan(18);
    expect(found.every(([best]) => best!.probability > 0 && best!.probability <= 1)).toBe(true);

    // Transfer: the next training starts where this one ended.
    const transferred = await trainRepairModel({
      folder: join(folder, `${family}-transfer`),
      start: { folder: path },
      train: pairs,
      validation: [],
      seed: 2,
      settings: { epochs: 1, batchSize: 12, learningRate: 1e-4 },
      lengthSteps: [4, 8],
      driver: driver(),
    });
    expect(transferred.epochs[0]!.trainLoss).toBeLessThan(0.2 * trained.epochs[0]!.trainLoss);
    expect(transferred.selectedByValidation).toBe(false);
  });

  test('padding counts in the loss where asked for, filling rows never do', async () => {
    const one = pairs.slice(0, 1);
    const loss = async (paddingInLoss: boolean, rows: number) => {
      const task = seq2seqTask(start, { paddingInLoss, lengthSteps: [4, 8] });
      const shape = { rows, lengths: task.pad(task.lengths(one[0]!)) };
      const session = await Session.create({
        outputs: task.buildEvaluation(shape),
        driver: driver(),
        rng: createRng(3),
      });
      const { loss } = await session.run(task.feeds(one, shape));
      await session.close();
      return Number(loss[0]);
    };
    expect(await loss(false, 1)).toBeCloseTo(await loss(false, 3), 5);
    expect(await loss(true, 1)).toBeCloseTo(await loss(true, 3), 5);
    expect(Math.abs((await loss(true, 1)) - (await loss(false, 1)))).toBeGreaterThan(1e-3);
    expect(seq2seqTask(start, { paddingInLoss: true }).weight(one[0]!)).toBe(family === 't5' ? 8 : 7);
  });
});

test('sources and targets are no longer than the network reads', async () => {
  expect(paperSettings(roberta)).toMatchObject({ max_source_tokens: 38, max_target_tokens: 38 });
  expect(paperSettings(t5)).toMatchObject({ max_source_tokens: 512, max_target_tokens: 256 });
  const start = { config: roberta, settings: { ...paperSettings(roberta), max_source_tokens: 39 } };
  const options = { folder, start, train: pairs, validation: [], seed: 1, driver: driver() };
  await expect(trainRepairModel(options)).rejects.toMatchObject({ code: 'too-many-tokens' });
  expect(() => repairDecoder(start)).toThrow('the model reads 38');
});

test('pairs that do not fit the model, and an empty set, are refused', async () => {
  const options = { folder, start: models.t5!, validation: [], seed: 1, driver: driver() };
  const long = { ...pairs[0]!, sourceIds: new Int32Array(17).fill(3) };
  const foreign = { ...pairs[0]!, targetIds: Int32Array.of(10, 99, 2) };
  await expect(trainRepairModel({ ...options, train: [] })).rejects.toMatchObject({ code: 'empty-training-set' });
  await expect(trainRepairModel({ ...options, train: [long] })).rejects.toMatchObject({ code: 'invalid-pair' });
  await expect(trainRepairModel({ ...options, train: [foreign] })).rejects.toMatchObject({ code: 'invalid-pair' });
});
