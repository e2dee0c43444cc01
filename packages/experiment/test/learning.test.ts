import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { type ChangeText, createCounterfactual, createEncoding, type Encoder, loadTokenizer } from '@redef/encoders';
import { metrics } from '@redef/stats';
import { createOnnxEngine, type Example } from '@redef/training';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardChanges } from './guard-changes.js';

// A model that learns to read an edit must be seen to: from random weights, with a real tokenizer.

const shared = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url));
const vocabulary = join(shared, 'data', 'tokenizers', 'codebert-base');
const realChanges = join(shared, 'data', 'codexglue-refinement');
const here = existsSync(vocabulary) && existsSync(realChanges);
if (!here)
  console.warn(`SKIPPED: what a model learns, for want of ${vocabulary} and ${realChanges} (set REDEF_SHARED)`);

const config = {
  model_type: 'roberta',
  vocab_size: 50_265,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 64,
  max_position_embeddings: 258,
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-learning-'));
});
afterAll(() => rmSync(root, { recursive: true }));

interface Labelled extends ChangeText {
  label: 0 | 1;
}

async function encodeAll(
  encoder: Pick<Encoder, 'specialTokens'> & {
    encode: ReturnType<typeof createCounterfactual>['encode'] | ReturnType<typeof createEncoding>['encode'];
  },
  changes: readonly Labelled[],
): Promise<Example[]> {
  const tokenizer = await loadTokenizer(vocabulary, { preset: 'codebert' });
  return changes.map((change) => ({
    id: change.id,
    inputIds: encoder.encode(change, { tokenizer, maxTokens: 128 }, 'test').inputIds,
    label: change.label,
  }));
}

test.runIf(here)(
  'overfits 64 real changes',
  async () => {
    const [before, after] = ['buggy', 'fixed'].map((side) =>
      readFileSync(join(realChanges, `small.valid.${side}`), 'utf8').split('\n'),
    );
    const lines = (text: string) => text.trim().replace(/([;{}]) /g, '$1\n'); // the published files have a function a line
    const rng = createRng('labels');
    const labels = rng.shuffle(Array.from({ length: 64 }, (_, i) => (i % 4 === 0 ? 1 : 0) as 0 | 1));
    const changes = labels.map((label, i) => ({
      id: `${i}`,
      function_before: lines(before![i]!),
      function_after: lines(after![i]!),
      label,
    }));
    const examples = await encodeAll(createEncoding('diff-tags'), changes);

    const engine = createOnnxEngine({ model: { config }, learningRate: 2e-3, epochs: 20, threads: 1 });
    const model = await engine.fit({
      folder: join(root, 'overfit'),
      train: examples,
      validation: examples,
      seed: 12345,
    });
    expect(model.epochs[model.bestEpoch - 1]!.validationF1).toBe(1);
  },
  600_000,
);

test.runIf(here)(
  'learns the direction of an edit, and reversed tags turn its answers round',
  async () => {
    const train = guardChanges('train', 480);
    const validation = guardChanges('validation', 80);
    const held = guardChanges('test', 200);
    const encoding = createEncoding('diff-tags');
    const engine = createOnnxEngine({ model: { config }, learningRate: 2e-3, epochs: 3, threads: 1 });
    const model = await engine.fit({
      folder: join(root, 'direction'),
      train: await encodeAll(encoding, train),
      validation: await encodeAll(encoding, validation),
      seed: 12345,
    });
    const f1Of = async (examples: readonly Example[]) => {
      const scores: number[] = [];
      for await (const { score } of engine.predict(model.folder, examples)) scores.push(score);
      return metrics(
        examples.map(({ label }) => label),
        scores,
        { threshold: model.threshold },
      ).f1;
    };
    expect(await f1Of(await encodeAll(encoding, held))).toBeGreaterThanOrEqual(0.95);
    const reversed = createCounterfactual('reversed-tags', { seed: 1 });
    expect(await f1Of(await encodeAll(reversed, held))).toBeLessThan(0.1);
  },
  600_000,
);
