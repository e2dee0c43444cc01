import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRng } from '@redef/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Example, Score, TrainingEngine, TrainingEvent } from '../engine.js';
import { createOnnxEngine, type OnnxEngineOptions } from './onnx-engine.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-onnx-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const roberta = {
  model_type: 'roberta',
  vocab_size: 60,
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 32,
  max_position_embeddings: 66,
};
const t5 = { model_type: 't5', vocab_size: 60, d_model: 16, d_kv: 8, d_ff: 32, num_heads: 2, num_layers: 1 };

/** Random tokens; a defective example has the token 7 in three places. */
function generate(seed: string, size: number): Example[] {
  const rng = createRng(seed);
  return Array.from({ length: size }, (_, i) => {
    const label = rng.next() < 0.3 ? 1 : 0;
    const inputIds = [0, ...Array.from({ length: 4 + rng.integer(24) }, () => 10 + rng.integer(50)), 2];
    for (let i = 0; label === 1 && i < 3; i++) inputIds[1 + rng.integer(inputIds.length - 2)] = 7;
    return { id: `${seed}-${i}`, inputIds, label };
  });
}
const train = generate('train', 120);
const validation = generate('validation', 40);
const engineOf = (options: Partial<OnnxEngineOptions> = {}) =>
  createOnnxEngine({ model: { config: roberta }, learningRate: 5e-3, epochs: 4, threads: 1, ...options });
const newFolder = (name: string) => mkdtempSync(join(root, `${name}-`));

async function scoresOf(engine: TrainingEngine, folder: string, examples: readonly Example[]): Promise<Score[]> {
  const scores: Score[] = [];
  for await (const score of engine.predict(folder, examples)) scores.push(score);
  return scores;
}

test.each(['roberta', 't5'] as const)(
  'a %s classifier learns a tell-tale token, and predicts in order',
  async (type) => {
    const engine = engineOf({ model: { config: type === 't5' ? t5 : roberta } });
    const folder = newFolder(type);
    const events: TrainingEvent[] = [];
    const model = await engine.fit({ folder, train, validation, seed: 1 }, { onEvent: (event) => events.push(event) });
    expect(model.epochs[model.bestEpoch - 1]!.validationF1).toBeGreaterThan(0.95);
    expect(model.files).toEqual(['config.json', 'model.safetensors']);
    expect(events).toHaveLength(4 * 15);
    expect(events[0]).toMatchObject({ stage: 'train', done: 1, total: 60, unit: 'steps', learningRate: 0 });
    const scores = await scoresOf(engine, folder, validation);
    expect(scores.map(({ id }) => id)).toEqual(validation.map(({ id }) => id));
    const right = scores.filter(({ score }, i) => score >= model.threshold === (validation[i]!.label === 1)).length;
    expect(right).toBeGreaterThan(38);
    for (const { score, logits } of scores) {
      const [clean, defective] = logits!.map(Math.exp) as [number, number];
      expect(score).toBeCloseTo(defective / (clean + defective), 12);
    }
  },
);
