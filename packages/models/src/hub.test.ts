import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DownloadModelOptions, downloadModel } from './hub.js';
import { openCheckpoint } from './weights/checkpoint.js';
import { writeSafetensors } from './weights/safetensors.js';

// A local server that speaks the part of the hub's protocol that is needed, and misbehaves on demand.

const commit = '0123456789abcdef0123456789abcdef01234567';
let server: Server;
let folder: string;
let files: Record<string, Buffer>;
let requests: string[];
let misbehave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-hub-'));
  const weights = join(folder, 'model.safetensors');
  await writeSafetensors(weights, [{ name: 'w', shape: [50_000], read: async () => new Float32Array(50_000).fill(3) }]);
  files = {
    'config.json': Buffer.from('{"model_type":"roberta"}'),
    'merges.txt': Buffer.from('#version: 0.2\n'),
    'model.safetensors': await readFile(weights),
    'pytorch_model.bin': Buffer.from('not wanted beside safetensors'),
    'README.md': Buffer.from('not wanted'),
    'rust_model.ot': Buffer.from('not wanted'),
  };
  requests = [];
  misbehave = undefined;
  server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  requests.push(request.url!);
  if (misbehave?.(request, response)) return;
  const json = (value: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  const { pathname } = new URL(request.url!, 'http://localhost');
  if (
    pathname === '/api/models/owner/model/revision/main' ||
    pathname === `/api/models/owner/model/revision/${commit}`
  ) {
    json({ _id: '1', id: 'owner/model', sha: commit });
  } else if (pathname === `/api/models/owner/model/tree/${commit}`) {
    json(
      Object.entries(files).map(([path, data]) => ({
        type: 'file',
        path,
        size: data.length,
        oid: '0'.repeat(40),
        ...(path.includes('model')
          ? { lfs: { oid: createHash('sha256').update(data).digest('hex'), size: data.length, pointerSize: 134 } }
          : {}),
      })),
    );
  } else if (pathname.startsWith(`/owner/model/resolve/${commit}/`)) {
    const data = files[pathname.split('/').at(-1)!]!;
    const [, first, last] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
    response.setHeader('ETag', '"etag"');
    if (first === undefined) {
      response.end(data);
      return;
    }
    const end = last ? Number(last) + 1 : data.length;
    response.writeHead(206, { 'Content-Range': `bytes ${first}-${end - 1}/${data.length}` });
    response.end(data.subarray(Number(first), end));
  } else {
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"Repository not found"}');
  }
}

function download(options: Partial<DownloadModelOptions> = {}): Promise<string> {
  const hubUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return downloadModel({ repo: 'owner/model', cacheDir: join(folder, 'cache'), hubUrl, ...options });
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
  expect(await readFile(join(path, 'model.safetensors'))).toEqual(files['model.safetensors']);
  expect(seen.at(-1)).toBe(1);
  const checkpoint = await openCheckpoint(path);
  expect((await checkpoint.tensors.get('w')!.read())[49_999]).toBe(3);
  await checkpoint.close();
});

test('a commit that is there needs no network; a branch is looked up but not fetched again', async () => {
  const path = await download();
  requests = [];
  expect(await download({ revision: commit })).toBe(path);
  expect(requests).toEqual([]);
  expect(await download()).toBe(path);
  expect(requests).toHaveLength(1);
});

test('a model in parts: every part, and its index', async () => {
  const { 'model.safetensors': whole, ...others } = files;
  files = {
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
  files = { 'config.json': files['config.json']! };
  expect((await failure()).code).toBe('no-weights');
});

test('an access token goes to the hub and never into an error', async () => {
  let token: string | undefined;
  misbehave = (request, response) => {
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
  misbehave = (request, response) => {
    const spoilt =
      request.url!.includes('/resolve/') &&
      request.url!.endsWith('model.safetensors') &&
      request.headers.range !== 'bytes=0-0';
    if (spoilt) spoil(response, files['model.safetensors']!);
    return spoilt;
  };
  const error = await failure();
  expect(['corrupt-download', 'hub-failed']).toContain(error.code);
  const path = join(folder, 'cache', 'owner--model', commit);
  expect((await readdir(path)).sort()).toEqual(['config.json', 'merges.txt']);
  misbehave = undefined;
  expect((await stat(join(await download(), 'model.safetensors'))).size).toBe(files['model.safetensors']!.length);
});

test('a hub that does not answer can be given up', async () => {
  misbehave = () => true;
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  expect((await failure({ signal: controller.signal })).code).toBe('aborted');
});
