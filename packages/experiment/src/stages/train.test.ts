import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeJsonl } from '@redef/core/files';
import type { TrainingEngine } from '@redef/training';
import { afterAll, expect, test } from 'vitest';
import { predictStage } from './predict.js';
import { trainStage } from './train.js';

const root = mkdtempSync(join(tmpdir(), 'redef-train-stage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a checkpoint whose files changed makes another model and other predictions', async () => {
  const id = 'a'.repeat(64);
  const folders = { encoded: join(root, 'encoded'), labels: join(root, 'labels'), split: join(root, 'split') };
  await writeJsonl(join(folders.encoded, 'encoded.jsonl'), []);
  await writeJsonl(join(folders.labels, 'labels.jsonl'), []);
  await writeJsonl(join(folders.split, 'splits.jsonl'), [{ schema: 'redef.split/1', id, split: 'train' }]);
  const base = join(root, 'base');
  mkdirSync(base);
  writeFileSync(join(base, 'config.json'), '{}');
  writeFileSync(join(base, 'model.safetensors'), 'weights');

  const engine: TrainingEngine = {
    id: 'counted',
    options: { model: { checkpoint: base } },
    fit: async ({ folder }) => {
      const epochs = [{ epoch: 1, trainLoss: 0, validationF1: null }];
      return {
        folder,
        engine: 'counted',
        epochs,
        bestEpoch: 1,
        selectedByValidation: false,
        threshold: 0.5,
        files: [],
      };
    },
    async *predict() {},
  };
  const model = join(root, 'model');
  const train = async () => (await trainStage({ ...folders, out: model, engine, seed: 1 })).skipped;
  const predict = async () =>
    (await predictStage({ ...folders, model, out: join(root, 'predictions'), engine, seed: 1 })).skipped;
  expect([await train(), await predict()]).toEqual([false, false]);
  expect([await train(), await predict()]).toEqual([true, true]);
  writeFileSync(join(base, 'notes.txt'), 'no part of the model');
  expect([await train(), await predict()]).toEqual([true, true]);
  writeFileSync(join(base, 'model.safetensors'), 'others');
  expect([await train(), await predict()]).toEqual([false, false]);
  writeFileSync(join(base, 'config.json'), '{"model_type":"roberta"}');
  expect([await train(), await predict()]).toEqual([false, false]);
});
