import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOnnxRuntimeDriver, Variables } from '@redef/autodiff';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateExamples, tinyRoberta, tinyT5 } from '../../test/examples.js';
import type { Example, Score, TrainedModel, TrainingEngine, TrainingEvent } from '../engine.js';
import { createLinearEngine } from '../linear/linear-engine.js';
import { loadClassifier } from './model-folder.js';
import { createOnnxEngine } from './onnx-engine.js';
import type { OnnxEngineOptions } from './options.js';
import { predictScores } from './predictor.js';

let root: string;
let trained: TrainedModel;
const events: TrainingEvent[] = [];
const train = generateExamples('train', 120);
const validation = generateExamples('validation', 40);

const engineOf = (options: Partial<OnnxEngineOptions> = {}) =>
  createOnnxEngine({ model: { config: tinyRoberta }, learningRate: 5e-3, epochs: 4, threads: 1, ...options });
const newFolder = (name: string) => mkdtempSync(join(root, `${name}-`));
const scoresOf = async (engine: TrainingEngine, folder: string, examples: readonly Example[]): Promise<Score[]> => {
  const scores: Score[] = [];
  for await (const score of engine.predict(folder, examples)) scores.push(score);
  return scores;
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-onnx-'));
  let time = 0;
  const engine = engineOf({ now: () => (time += 250), tensorBoard: true });
  trained = await engine.fit(
    { folder: newFolder('model'), train, validation, seed: 1 },
    { onEvent: (e) => events.push(e) },
  );
});
afterAll(() => rmSync(root, { recursive: true }));

test('a RoBERTa classifier learns a tell-tale token', () => {
  expect(trained.epochs[trained.bestEpoch - 1]!.validationF1).toBeGreaterThan(0.95);
  expect(trained).toMatchObject({ engine: 'onnx', selectedByValidation: true, threshold: 0.5 });
  expect(trained.files).toEqual(['config.json', 'model.safetensors']);
  expect(readdirSync(trained.folder).sort()).toEqual([...trained.files, 'tensorboard'].sort());
});

test('each step tells its loss, learning rate, speed and the time left', () => {
  expect(events).toHaveLength(60);
  expect(events[0]).toMatchObject({ stage: 'train', done: 1, total: 60, unit: 'steps', learningRate: 0 });
  const rates = events.map(({ learningRate }) => learningRate!);
  expect(Math.max(...rates)).toBeCloseTo(5e-3, 12);
  expect(rates.indexOf(Math.max(...rates))).toBe(6); // a tenth of the steps
  expect(rates.at(-1)).toBeCloseTo(5e-3 / 54, 12);
  const means = [0, 45].map((start) => events.slice(start, start + 15).reduce((sum, { loss }) => sum + loss! / 15, 0));
  expect(means[1]).toBeLessThan(0.8 * means[0]!);
  expect(events[5]!.tokensPerSecond).toBeGreaterThan(0);
  expect(events.at(-1)!.secondsLeft).toBe(0);
});

test('a T5 encoder learns it as well', async () => {
  const engine = engineOf({ model: { config: tinyT5 }, learningRate: 1e-2 });
  const model = await engine.fit({ folder: newFolder('t5'), train, validation, seed: 2 });
  expect(model.epochs[model.bestEpoch - 1]!.validationF1).toBeGreaterThan(0.9);
});

test('scores come in the order of the examples, whatever else is in the window, with their logits', async () => {
  const engine = engineOf({ predictBatchSize: 4 });
  const scores = await scoresOf(engine, trained.folder, validation);
  expect(scores.map(({ id }) => id)).toEqual(validation.map(({ id }) => id));
  const right = scores.filter(({ score }, i) => score >= 0.5 === (validation[i]!.label === 1)).length;
  expect(right).toBeGreaterThan(37);
  for (const [i, { score, logits }] of scores.entries()) {
    const [clean, defective] = logits!.map(Math.exp) as [number, number];
    expect(score).toBeCloseTo(defective / (clean + defective), 12);
    if (i > 5) continue;
    const [alone] = await scoresOf(engine, trained.folder, [validation[i]!]);
    expect(alone!.score).toBeCloseTo(score, 5);
  }
});

test('batches looped inside the graph, as for CUDA and DirectML, give the same scores', async () => {
  const variables = new Variables({ ...createOnnxRuntimeDriver({ threads: 1 }), loopsSteps: true });
  const classifier = await loadClassifier(trained.folder, variables, undefined);
  const expected = await scoresOf(engineOf({ predictBatchSize: 4 }), trained.folder, validation);
  let index = 0;
  for await (const { id, score } of predictScores(classifier, variables, validation, { batchSize: 4 })) {
    expect(id).toBe(expected[index]!.id);
    expect(score).toBeCloseTo(expected[index++]!.score, 6);
  }
  expect(index).toBe(40);
});

test('prediction reads one window ahead', async () => {
  let read = 0;
  function* endless(): Generator<Example> {
    for (;;) yield { ...validation[read % 40]!, id: `${read++}` };
  }
  let taken = 0;
  for await (const { id } of engineOf({ predictBatchSize: 2 }).predict(trained.folder, endless())) {
    expect(id).toBe(`${taken++}`);
    expect(read).toBeLessThanOrEqual(Math.ceil(taken / 64) * 64);
    if (taken === 100) break;
  }
});

test('fine-tuning starts from a checkpoint, and added tokens get rows', async () => {
  const folder = newFolder('tuned');
  const tagged = train.map((example) => ({ ...example, inputIds: [...Array.from(example.inputIds), 61] })); // beyond the 60
  const tuned = await engineOf({ model: { checkpoint: trained.folder }, epochs: 1 }).fit({
    folder,
    train: tagged,
    validation,
    seed: 1,
  });
  expect(tuned.epochs[0]!.trainLoss).toBeLessThan(0.75 * trained.epochs[0]!.trainLoss);
  expect(tuned.checkpoint).toEqual({
    initialized: [],
    resized: [{ name: 'roberta.embeddings.word_embeddings.weight', from: 60, to: 124 }],
    surplus: [],
  });
  expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toMatchObject({ vocab_size: 124 });
});

test('the threshold can be chosen on validation; without a positive there, the last epoch is kept', async () => {
  const engine = engineOf({ threshold: 'validation', epochs: 1 });
  const model = await engine.fit({ folder: newFolder('threshold'), train, validation, seed: 3 });
  const scores = await scoresOf(engine, model.folder, validation);
  expect(scores.map(({ score }) => score)).toContain(model.threshold);

  const negatives = validation.filter(({ label }) => label === 0);
  const blind = await engine.fit({ folder: newFolder('blind'), train, validation: negatives, seed: 3, epochs: 2 });
  expect(blind).toMatchObject({ bestEpoch: 2, selectedByValidation: false, threshold: 0.5 });
  expect(blind.epochs.map(({ validationF1 }) => validationF1)).toEqual([null, null]);
});

test('another metric can choose the epoch', async () => {
  const engine = engineOf({ selectBy: 'rocAuc', epochs: 3 });
  const { epochs, bestEpoch } = await engine.fit({ folder: newFolder('auc'), train, validation, seed: 4 });
  const values = epochs.map((epoch) => epoch.validation!.value!);
  expect(epochs[0]).toMatchObject({ validationF1: null, validation: { metric: 'rocAuc' } });
  expect(values.indexOf(Math.max(...values))).toBe(bestEpoch - 1);
  expect(Math.max(...values)).toBeGreaterThan(0.8);
});

test('patience ends a training that gets no better', async () => {
  const engine = engineOf({ learningRate: 1e-12, epochs: 10, patience: 2, batchSize: 40 });
  const model = await engine.fit({ folder: newFolder('patience'), train, validation, seed: 1 });
  expect(model.epochs).toHaveLength(3);
  expect(model.bestEpoch).toBe(1);
});

test('a loss that runs away is told with step, learning rate and batch, and the last good checkpoint is kept', async () => {
  const folder = newFolder('nan');
  const engine = engineOf({ learningRate: 1e30, checkpointEvery: 1, schedule: 'constant', warmUp: 0.1 });
  const failure = engine.fit({ folder, train, validation, seed: 1 });
  await expect(failure).rejects.toMatchObject({ code: 'non-finite-loss' });
  await expect(failure).rejects.toThrow(/(NaN|Infinity) at step \d+, learning rate \S+, batch (train-\d+(, )?){8}/);
  const [last] = readdirSync(join(folder, 'checkpoints'))
    .filter((name) => name.endsWith('.safetensors'))
    .sort()
    .reverse();
  const bytes = readFileSync(join(folder, 'checkpoints', last!));
  const start = 8 + Number(bytes.readBigUInt64LE());
  for (let at = start; at < bytes.length; at += 4) expect(Number.isFinite(bytes.readFloatLE(at))).toBe(true);
});

test('where memory runs out, batch and length are named, and what to lower', async () => {
  const config = {
    ...tinyRoberta,
    num_hidden_layers: 2, // of the last, a classifier needs the first token alone
    max_position_embeddings: 65_538,
    hidden_size: 64,
    num_attention_heads: 64, // the attention weights of one example take a terabyte
    hidden_dropout_prob: 0,
    attention_probs_dropout_prob: 0,
  };
  const long = [0, 1].map((label) => ({
    id: `long-${label}`,
    inputIds: new Int32Array(65_000).fill(9),
    label,
  })) as Example[];
  const failure = engineOf({ model: { config }, batchSize: 1 }).fit({
    folder: newFolder('memory'),
    train: long,
    validation: [],
    seed: 1,
  });
  await expect(failure).rejects.toMatchObject({
    code: 'out-of-memory',
    message: expect.stringMatching(/^Not enough memory for a batch of 1 x 65024 tokens, step 1 \(long-\d\)$/),
    remedy: expect.stringMatching(/^Encode with fewer tokens than 65024/),
  });
});

test.each([
  ['empty-training-set', []],
  ['one-class-training-set', train.filter(({ label }) => label === 0)],
  ['wrong-vocabulary', [...train, { id: 'alien', inputIds: [0, 50_000, 2], label: 0 }]],
  ['wrong-vocabulary', [...train, { id: 'alien', inputIds: [0, -1, 2], label: 0 }]],
  ['wrong-vocabulary', [...train, { id: 'alien', inputIds: [0, Number.NaN, 2], label: 0 }]],
  ['invalid-label', [...train, { id: 'alien', inputIds: [0, 9, 2], label: 2 as 0 }]],
  ['too-many-tokens', [...train, { id: 'alien', inputIds: new Array(65).fill(9), label: 0 }]],
  ['empty-example', [...train, { id: 'alien', inputIds: [], label: 0 }]],
  ['empty-example', [...train, { id: 'alien', inputIds: [1, 1, 1], label: 0 }]], // padding
] as [string, Example[]][])('%s is refused before anything is trained (%#)', async (code, examples) => {
  const failure = engineOf().fit({ folder: newFolder('refused'), train: examples, validation, seed: 1 });
  await expect(failure).rejects.toMatchObject({ code });
  if (examples.at(-1)?.id === 'alien') await expect(failure).rejects.toThrow('alien');
});

test('a damaged, cut or unfitting model is refused, in training and in prediction', async () => {
  const broken = (name: string, change: (folder: string) => void) => {
    const folder = newFolder(name);
    cpSync(trained.folder, folder, { recursive: true });
    change(folder);
    return folder;
  };
  const cases: [string, string][] = [
    ['corrupt-weights', broken('cut', (folder) => truncateSync(join(folder, 'model.safetensors'), 5000))],
    [
      'corrupt-weights',
      broken('noise', (folder) => writeFileSync(join(folder, 'model.safetensors'), Buffer.alloc(999, 7))),
    ],
    ['file-missing', broken('missing', (folder) => rmSync(join(folder, 'model.safetensors')))],
    ['file-missing', broken('no-config', (folder) => rmSync(join(folder, 'config.json')))],
    ['unsupported-model', broken('no-json', (folder) => writeFileSync(join(folder, 'config.json'), '{'))],
    [
      'weights-mismatch',
      broken('other', (folder) =>
        writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...tinyRoberta, hidden_size: 32 })),
      ),
    ],
  ];
  for (const [code, folder] of cases) {
    const fit = engineOf({ model: { checkpoint: folder } }).fit({ folder: newFolder('x'), train, validation, seed: 1 });
    await expect(fit).rejects.toMatchObject({ code });
    await expect(scoresOf(engineOf(), folder, validation)).rejects.toMatchObject({ code });
  }
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 'x' as unknown as number])('seed %s is refused', async (seed) => {
  const job = { folder: newFolder('seed'), train, validation, seed };
  await expect(engineOf().fit(job)).rejects.toMatchObject({ code: 'invalid-option' });
  await expect(createLinearEngine().fit(job)).rejects.toMatchObject({ code: 'invalid-option' });
});

test('without a model there is nothing to fit', async () => {
  const fit = createOnnxEngine().fit({ folder: newFolder('none'), train, validation, seed: 1 });
  await expect(fit).rejects.toMatchObject({ code: 'invalid-option' });
});

test.each([
  { epochs: 0 },
  { batchSize: 1.5 },
  { learningRate: 0 },
  { learningRate: Number.NaN },
  { warmUp: 2 },
  { clipNorm: -1 },
  { patience: 0 },
  { positiveWeight: 0 },
  { threshold: 1.5 },
  { threads: 0 },
  { selectBy: 'loss' as 'f1' },
  { lora: { rank: 4, alpha: 8 } },
  { model: { checkpoint: 'x' }, lora: { rank: 4, alpha: Number.POSITIVE_INFINITY } },
  { device: 'tpu' as 'cpu' },
  { precision: 'bfloat16' as 'float16' },
  { stepsPerRun: 0 },
])('option %j is refused', (options) => {
  expect(() => engineOf(options)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
});

test('half precision on the CPU is refused with the reason, in training and in prediction', async () => {
  const half = engineOf({ precision: 'float16' });
  const refused = { code: 'invalid-option', message: expect.stringContaining('gains nothing by half precision') };
  const fit = half.fit({ folder: newFolder('half'), train, validation, seed: 1 });
  await expect(fit).rejects.toMatchObject(refused);
  await expect(scoresOf(half, trained.folder, validation)).rejects.toMatchObject(refused);
});

test('a device that is not there is told with what brings it', async () => {
  const fit = engineOf({ device: 'cuda' }).fit({ folder: newFolder('cuda'), train, validation, seed: 1 });
  await expect(fit).rejects.toMatchObject({
    code: 'provider-unavailable',
    remedy: expect.stringMatching(/ONNXRUNTIME_NODE_INSTALL=cuda12|--device/),
  });
});
