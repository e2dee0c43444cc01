import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commit, type HubServer, startHub } from '../../../models/test/hub-server.js';
import type { Example, TrainingEvent } from '../engine.js';
import { createOnnxEngine } from './onnx-engine.js';

// A model named as on the hub, from a local server to its predictions.

const base = fileURLToPath(new URL('../../test/fixtures/peft-adapter/base/', import.meta.url));
const files = Object.fromEntries(['config.json', 'model.safetensors'].map((name) => [name, readFileSync(base + name)]));
const examples: Example[] = Array.from({ length: 12 }, (_, i) => ({
  id: `${i}`,
  inputIds: [0, 5 + i, 6, 7, 2],
  label: i % 2 === 0 ? 1 : 0,
}));

let root: string;
let hub: HubServer;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-hub-'));
  hub = await startHub(files);
});
afterAll(async () => {
  await hub.close();
  rmSync(root, { recursive: true });
});

const engineOf = (lora?: { rank: number; alpha: number }) =>
  createOnnxEngine({
    model: { hub: { repo: 'owner/model', cacheDir: join(root, 'cache'), hubUrl: hub.url, accessToken: 'hf_secret' } },
    ...(lora && { lora }),
    learningRate: 1e-3,
    epochs: 1,
    threads: 1,
  });

test.each([undefined, { rank: 2, alpha: 4 }])(
  'it is downloaded, tuned, saved and read again: LoRA %j',
  async (lora) => {
    const folder = join(root, lora ? 'adapter' : 'model');
    const events: TrainingEvent[] = [];
    const engine = engineOf(lora);
    const model = await engine.fit(
      { folder, train: examples, validation: examples, seed: 1 },
      { onEvent: (e) => events.push(e) },
    );
    expect(model.checkpoint).toEqual({ initialized: [], resized: [], surplus: [] });
    const downloads = events.filter(({ stage }) => stage === 'download owner/model');
    expect(downloads.at(-1)?.done).toBe(lora ? undefined : downloads.at(-1)!.total); // the second time it is there
    expect(events.at(-1)).toMatchObject({ stage: 'train', done: 2, total: 2 });

    const scores = [];
    for await (const score of engine.predict(folder, examples)) scores.push(score);
    expect(scores.map(({ id }) => id)).toEqual(examples.map(({ id }) => id));
    const written = lora ? ['adapter_config.json'] : ['config.json'];
    expect(readFileSync(join(folder, written[0]!), 'utf8')).not.toContain('hf_secret');
    expect(JSON.stringify(engine.options)).not.toContain('hf_secret');
    if (lora)
      expect(JSON.parse(readFileSync(join(folder, 'adapter_config.json'), 'utf8')).base_model_name_or_path).toBe(
        'owner/model',
      );
  },
);

test('the same weights in a folder give the same model', async () => {
  const fromFolder = createOnnxEngine({ model: { checkpoint: base }, learningRate: 1e-3, epochs: 1, threads: 1 });
  const folder = join(root, 'from-folder');
  await fromFolder.fit({ folder, train: examples, validation: examples, seed: 1 });
  const weights = (name: string) => readFileSync(join(root, name, 'model.safetensors'));
  expect(weights('from-folder').equals(weights('model'))).toBe(true);
});

test('a hub that is gone is no matter once the commit is there; a model it has not is told', async () => {
  hub.misbehave = (_, response) => {
    response.writeHead(404).end();
    return true;
  };
  const { fit } = engineOf();
  await expect(fit({ folder: join(root, 'gone'), train: examples, validation: [], seed: 1 })).rejects.toMatchObject({
    code: 'model-not-found',
  });
  const pinned = createOnnxEngine({
    model: { hub: { repo: 'owner/model', revision: commit, cacheDir: join(root, 'cache'), hubUrl: hub.url } },
    epochs: 1,
    threads: 1,
  });
  await pinned.fit({ folder: join(root, 'pinned'), train: examples, validation: [], seed: 1 });
});
