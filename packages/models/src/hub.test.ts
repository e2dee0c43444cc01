import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commit, type HubServer, startHub } from '../test/hub-server.js';
import { type DownloadModelOptions, downloadModel } from './hub.js';
import { openCheckpoint } from './weights/checkpoint.js';
import { writeSafetensors } from './weights/safetensors.js';

let hub: HubServer;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-hub-'));
  const weights = join(folder, 'model.safetensors');
  await writeSafetensors(weights, [{ name: 'w', shape: [50_000], read: async () => new Float32Array(50_000).fill(3) }]);
  hub = await startHub({
    'config.json': Buffer.from('{"model_type":"roberta"}'),
    'merges.txt': Buffer.from('#version: 0.2\n'),
    'model.safetensors': await readFile(weights),
    'pytorch_model.bin': Buffer.from('not wanted beside safetensors'),
    'README.md': Buffer.from('not wanted'),
    'rust_model.ot': Buffer.from('not wanted'),
  });
});

afterEach(async () => {
  await hub.close();
  await rm(folder, { recursive: true });
});

function download(options: Partial<DownloadModelOptions> = {}): Promise<string> {
  return downloadModel({ repo: 'owner/model', cacheDir: join(folder, 'cache'), hubUrl: hub.url, ...options });
}

async function failure(options: Partial<DownloadModelOptions> = {}): Promise<RedefError> {
  const error = await download(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!RedefError.isInstance(error)) throw error ?? new Error('nothing was refused');
  return error;
}

test('config, tokenizer and weights arrive, nothing else, and progress is told', async () => {
  const seen: number[] = [];
  const path = await download({ onEvent: ({ done, total }) => seen.push(done / total!) });
  expect((await readdir(path)).sort()).toEqual(['config.json', 'manifest.json', 'merges.txt', 'model.safetensors']);
  expect(await readFile(join(path, 'model.safetensors'))).toEqual(hub.files['model.safetensors']);
  expect(seen.at(-1)).toBe(1);
  const checkpoint = await openCheckpoint(path);
  expect((await checkpoint.tensors.get('w')!.read())[49_999]).toBe(3);
  await checkpoint.close();
});

test('a commit that is there needs no network; a branch is looked up but not fetched again', async () => {
  const path = await download();
  hub.requests = [];
  expect(await download({ revision: commit })).toBe(path);
  expect(hub.requests).toEqual([]);
  expect(await download()).toBe(path);
  expect(hub.requests).toHaveLength(1);
});

test('a model in parts: every part, and its index', async () => {
  const { 'model.safetensors': whole, ...others } = hub.files;
  hub.files = {
    ...others,
    'pytorch_model.bin': Buffer.from('x'),
    'model.safetensors.index.json': Buffer.from('{}'),
    'model-00001-of-00002.safetensors': whole!,
    'model-00002-of-00002.safetensors': whole!,
  };
  expect((await readdir(await download())).filter((name) => name.startsWith('model'))).toHaveLength(3);
});

test('a model that is not there, or without weights, or with an impossible name', async () => {
  expect((await failure({ repo: 'owner/other' })).code).toBe('model-not-found');
  for (const repo of ['../../etc', 'a/b/c', '..', 'owner/..', ''])
    expect((await failure({ repo })).code).toBe('invalid-option');
  hub.files = { 'config.json': hub.files['config.json']! };
  expect((await failure()).code).toBe('no-weights');
});

test('an access token goes to the hub and never into an error', async () => {
  let token: string | undefined;
  hub.misbehave = (request, response) => {
    token = request.headers.authorization;
    response.writeHead(500).end('oops');
    return true;
  };
  const error = await failure({ accessToken: 'hf_secret' });
  expect(token).toBe('Bearer hf_secret');
  expect(error.code).toBe('hub-failed');
  expect(error.disposition).toBe('retry');
  expect(JSON.stringify([error.message, error.remedy, error.cause])).not.toContain('hf_secret');
});

test.each<[string, (response: ServerResponse, data: Buffer) => void]>([
  [
    'cut off',
    (response, data) =>
      response.writeHead(206, { 'Content-Range': `bytes 0-9/${data.length}`, ETag: '"e"' }).end(data.subarray(0, 10)),
  ],
  [
    'changed',
    (response, data) =>
      response
        .writeHead(206, { 'Content-Range': `bytes 0-9/${data.length}`, ETag: '"e"' })
        .end(Buffer.alloc(data.length)),
  ],
  ['ended by a reset', (response) => response.destroy()],
])('weights that are %s leave no file and no manifest, and the next try succeeds', async (_name, spoil) => {
  hub.misbehave = (request, response) => {
    const spoilt =
      request.url!.includes('/resolve/') &&
      request.url!.endsWith('model.safetensors') &&
      request.headers.range !== 'bytes=0-0';
    if (spoilt) spoil(response, hub.files['model.safetensors']!);
    return spoilt;
  };
  const error = await failure();
  expect(['corrupt-download', 'hub-failed']).toContain(error.code);
  const path = join(folder, 'cache', 'owner--model', commit);
  expect((await readdir(path)).sort()).toEqual(['config.json', 'merges.txt']);
  hub.misbehave = undefined;
  expect((await stat(join(await download(), 'model.safetensors'))).size).toBe(hub.files['model.safetensors']!.length);
});

test('a hub that does not answer can be given up', async () => {
  hub.misbehave = () => true;
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  expect((await failure({ signal: controller.signal })).code).toBe('aborted');
});
