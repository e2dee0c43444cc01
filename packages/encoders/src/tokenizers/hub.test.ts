import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { byteCharacters } from './byte-characters.js';
import { loadTokenizer } from './load-tokenizer.js';

const bytes = Object.fromEntries(byteCharacters.map((character, byte) => [character, byte + 10]));
const vocab = { '<s>': 0, '<pad>': 1, '</s>': 2, ...bytes, ab: 266 };
const files: Record<string, string> = {
  '/a/model/resolve/main/vocab.json': JSON.stringify(vocab),
  '/a/model/resolve/main/merges.txt': '#version: 0.2\na b\n',
};

describe('loadTokenizer from a hub', () => {
  let server: Server;
  const folder = mkdtempSync(join(tmpdir(), 'redef-hub-'));
  const serve = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const load = (endpoint: string, more: object = {}) =>
    loadTokenizer('hub:a/model', { preset: 'roberta', endpoint, ...more });

  it('falls back to the two older files, and keeps them for the next time', async () => {
    let requests = 0;
    const endpoint = await serve((request, response) => {
      requests++;
      const body = files[request.url ?? ''];
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    expect([...(await load(endpoint, { cacheFolder: folder })).encode('ab(c)')]).toEqual(
      [266, ...Buffer.from('(c)')].map((id) => (id === 266 ? id : id + 10)),
    );
    expect(requests).toBe(4);
    server.close();
    const offline = await load('http://127.0.0.1:1', { cacheFolder: folder, attempts: 1 });
    expect(offline.size).toBe(267);
  });

  it('tries again after 429 and 500', async () => {
    let requests = 0;
    const endpoint = await serve((request, response) => {
      const status = [429, 500][requests++];
      const body = files[request.url ?? ''];
      response.writeHead(status ?? (body === undefined ? 404 : 200)).end(body);
    });
    expect((await load(endpoint)).size).toBe(267);
  });

  it('says what went wrong: refused, cut off, hanging, no JSON, no such model, a wrong name', async () => {
    const broken: [RequestListener, string][] = [
      [(_, response) => response.writeHead(401).end(), 'hub-refused'],
      [(_, response) => response.writeHead(503).end(), 'hub-unreachable'],
      [
        (_, response) => {
          response.writeHead(200, { 'content-length': 1000 }).write('{"model"');
          setTimeout(() => response.destroy(), 5);
        },
        'hub-unreachable',
      ],
      [() => {}, 'hub-unreachable'],
      [(_, response) => response.writeHead(200).end('<html>'), 'invalid-tokenizer'],
      [(_, response) => response.writeHead(404).end(), 'invalid-tokenizer'],
    ];
    for (const [listener, code] of broken) {
      const endpoint = await serve(listener);
      await expect(load(endpoint, { attempts: 1, timeoutMs: 500 })).rejects.toMatchObject({ code });
      server.closeAllConnections();
      server.close();
    }
    for (const name of ['hub:model', 'hub:../x', 'hub:a/..', 'hub:a/b/c', 'hub:a/b@../../x', 'hub:a/b?x']) {
      await expect(loadTokenizer(name, { preset: 'roberta' })).rejects.toMatchObject({ code: 'invalid-option' });
    }
  });

  it('stops when told to', async () => {
    const controller = new AbortController();
    const endpoint = await serve(() => controller.abort());
    await expect(load(endpoint, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
