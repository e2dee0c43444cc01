import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRng } from '@redef/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Example, Score } from '../engine.js';
import { hashedTokenCounts } from './features.js';
import { createLinearEngine } from './linear-engine.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-linear-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const engine = createLinearEngine();
const scoresOf = async (model: string, examples: readonly Example[]): Promise<Score[]> => {
  const scores: Score[] = [];
  for await (const score of engine.predict(model, examples)) scores.push(score);
  return scores;
};

/** Random token ids; a defective example holds the tell-tale token 7 with probability `signal`, a clean one never. */
function generate(seed: string, size: number, { signal = 1, prevalence = 0.25 } = {}): Example[] {
  const rng = createRng(seed);
  return Array.from({ length: size }, (_, i) => {
    const label = rng.next() < prevalence ? 1 : 0;
    const inputIds = Array.from({ length: 40 }, () => 100 + rng.integer(400));
    if (label === 1 && rng.next() < signal) inputIds[rng.integer(40)] = 7;
    return { id: `${i}`, inputIds, label };
  });
}

test('learns a tell-tale token that rare positives carry, and scores unseen examples by it', async () => {
  const model = await engine.fit({
    folder: join(folder, 'learns'),
    train: generate('train', 800),
    validation: generate('validation', 100),
    seed: 1,
  });
  const examples = generate('test', 400);
  const scores = await scoresOf(model.folder, examples);
  expect(scores.map(({ id }) => id)).toEqual(examples.map(({ id }) => id));
  const right = scores.filter(({ score }, i) => score >= model.threshold === (examples[i]!.label === 1)).length;
  expect(right / examples.length).toBeGreaterThan(0.95);
});

test('without a signal it does no better than chance', async () => {
  const model = await engine.fit({
    folder: join(folder, 'noise'),
    train: generate('a', 800, { signal: 0, prevalence: 0.5 }),
    validation: generate('b', 200, { signal: 0, prevalence: 0.5 }),
    seed: 1,
  });
  const examples = generate('c', 2000, { signal: 0, prevalence: 0.5 });
  const scores = await scoresOf(model.folder, examples);
  const right = scores.filter(({ score }, i) => score >= 0.5 === (examples[i]!.label === 1)).length;
  expect(Math.abs(right / examples.length - 0.5)).toBeLessThan(0.05);
});

test('the class weight makes a constant input score one half whatever the prevalence', async () => {
  const train = Array.from(
    { length: 1000 },
    (_, i): Example => ({ id: `${i}`, inputIds: [1, 2, 3], label: i % 10 === 0 ? 1 : 0 }),
  );
  const model = await createLinearEngine({ learningRate: 0.02 }).fit({
    folder: join(folder, 'weight'),
    train,
    validation: [],
    seed: 3,
  });
  expect(model.selectedByValidation).toBe(false);
  expect(model.bestEpoch).toBe(20);
  const [{ score }] = (await scoresOf(model.folder, train.slice(0, 1))) as [Score];
  expect(Math.abs(score - 0.5)).toBeLessThan(0.05);
});

test('equal seeds give equal bytes, another seed another model', async () => {
  const fit = async (name: string, seed: number): Promise<string> => {
    await engine.fit({
      folder: join(folder, name),
      train: generate('t', 200),
      validation: generate('v', 50),
      seed,
      epochs: 5,
    });
    return readFileSync(join(folder, name, 'model.json'), 'utf8');
  };
  const first = await fit('one', 1);
  expect(await fit('two', 1)).toBe(first);
  expect(await fit('three', 2)).not.toBe(first);
});

test('the epoch with the best validation F1 is kept, and a model on disk gives what fit measured', async () => {
  const validation = generate('v2', 120, { signal: 0.5 });
  const model = await engine.fit({
    folder: join(folder, 'best'),
    train: generate('t2', 300, { signal: 0.5 }),
    validation,
    seed: 5,
  });
  const best = Math.max(...model.epochs.map(({ validationF1 }) => validationF1!));
  expect(model.epochs[model.bestEpoch - 1]!.validationF1).toBe(best);
  expect(model.epochs.findIndex(({ validationF1 }) => validationF1 === best) + 1).toBe(model.bestEpoch);
  const scores = await scoresOf(model.folder, validation);
  let tp = 0;
  let wrong = 0;
  scores.forEach(({ score }, i) => {
    const predicted = score >= model.threshold ? 1 : 0;
    if (predicted === 1 && validation[i]!.label === 1) tp++;
    else if (predicted !== validation[i]!.label) wrong++;
  });
  expect((2 * tp) / (2 * tp + wrong)).toBeCloseTo(best, 12);
});

test('the features of an input are unit length, in ascending buckets and blind to order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60_000), { minLength: 1 }), (ids) => {
      const { buckets, values } = hashedTokenCounts(ids, 1 << 10);
      expect([...buckets]).toEqual([...new Set(buckets)].sort((a, b) => a - b));
      expect(values.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 5);
      expect(hashedTokenCounts([...ids].reverse(), 1 << 10)).toEqual({ buckets, values });
    }),
  );
  expect(hashedTokenCounts([], 1 << 10)).toEqual({ buckets: new Uint32Array(), values: new Float32Array() });
});

test.each([
  [[], 'empty-training-set'],
  [[{ id: 'a', inputIds: [1], label: 1 }], 'one-class-training-set'],
  [[{ id: 'a', inputIds: [1], label: 0 }], 'one-class-training-set'],
] as [Example[], string][])('training set %# is refused', async (train, code) => {
  await expect(engine.fit({ folder, train, validation: [], seed: 1 })).rejects.toMatchObject({ code });
});

test.each([{ bucketCount: 1000 }, { bucketCount: 0 }, { learningRate: 0 }, { l2: -1 }, { l2: Number.NaN }])(
  'option %j is refused',
  (options) => {
    expect(() => createLinearEngine(options)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  },
);

test.each(['{', '{}', '{"schema":"redef.linear-model/1","bucket_count":4,"bias":0,"buckets":[9],"weights":[1]}', '[1'])(
  'damaged model %j is refused',
  async (text) => {
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    writeFileSync(join(damaged, 'model.json'), text);
    await expect(scoresOf(damaged, [])).rejects.toMatchObject({ code: 'invalid-model' });
  },
);

test('a folder without a model, and a run that is stopped', async () => {
  await expect(scoresOf(join(folder, 'none'), [])).rejects.toMatchObject({ code: 'file-missing' });
  const stop = new AbortController();
  const job = { folder: join(folder, 'stopped'), train: generate('t', 50), validation: [], seed: 1 };
  const run = engine.fit(job, { signal: stop.signal, onEvent: ({ done }) => done === 2 && stop.abort() });
  await expect(run).rejects.toMatchObject({ code: 'aborted' });
  await expect(scoresOf(job.folder, [])).rejects.toMatchObject({ code: 'file-missing' });
});

test('a stop from outside, as a Ctrl-C is, is heard between two epochs', async () => {
  const job = { folder: join(folder, 'stopped'), train: generate('t', 50), validation: [], seed: 1, epochs: 1e6 };
  const run = engine.fit(job, { signal: AbortSignal.timeout(50) });
  await expect(run).rejects.toMatchObject({ code: 'aborted' });
});
