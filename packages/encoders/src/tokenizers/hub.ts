import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedefError, throwIfAborted } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import type { TokenizerFiles } from './definition.js';

export interface HubOptions {
  /** Keeps downloaded files in this folder and reads them from there the next time, offline too. */
  cacheFolder?: string;
  /** Where the hub is. Default `https://huggingface.co`. */
  endpoint?: string;
  /** Default the global `fetch`. */
  fetch?: typeof fetch;
  /** Longest wait for one answer, body included. Default 60,000. */
  timeoutMs?: number;
  /** Tries of one file before giving up, each after a longer wait. Default 3. */
  attempts?: number;
  signal?: AbortSignal;
}

const maxBytes = 64 * 2 ** 20; // the largest of these vocabularies is 4 MB: a guard against a wrong address

/** The tokenizer files of `owner/name` or `owner/name@revision`: `tokenizer.json` where there is one, else the two older ones. */
export async function hubFiles(repository: string, options: HubOptions): Promise<TokenizerFiles> {
  const match = /^([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(repository);
  if (!match || /(^|\/)\.\.?(\/|$)/.test(repository.replace('@', '/'))) {
    throw new RedefError(`Expected hub:owner/name or hub:owner/name@revision, got hub:${repository}`, {
      code: 'invalid-option',
      remedy: 'Write it as on the hub: hub:microsoft/codebert-base.',
    });
  }
  const [, name = '', revision = 'main'] = match;
  const get = (file: keyof TokenizerFiles) => hubFile(name, revision, file, options);
  const whole = await get('tokenizer.json');
  if (whole !== undefined) return { 'tokenizer.json': whole };
  const files: TokenizerFiles = {};
  for (const file of ['vocab.json', 'merges.txt', 'added_tokens.json'] as const) {
    const text = await get(file);
    if (text !== undefined) files[file] = text;
  }
  return files;
}

async function hubFile(
  name: string,
  revision: string,
  file: keyof TokenizerFiles,
  options: HubOptions,
): Promise<string | undefined> {
  const cached = options.cacheFolder && join(options.cacheFolder, name, revision, file);
  if (cached) {
    const text = await readIfThere(cached);
    if (text !== undefined) return text;
  }
  const endpoint = options.endpoint ?? 'https://huggingface.co';
  const text = await download(`${endpoint}/${name}/resolve/${encodeURIComponent(revision)}/${file}`, options);
  if (cached && text !== undefined) await writeFileAtomic(cached, text);
  return text;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
}

/** The body, or `undefined` where the hub has no such file. */
async function download(url: string, options: HubOptions): Promise<string | undefined> {
  const { fetch: get = fetch, timeoutMs = 60_000, attempts = 3, signal } = options;
  let failure: unknown;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    throwIfAborted(signal);
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await get(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      if (response.status === 404) return undefined;
      if (response.ok) return await readBody(response, url);
      if (response.status !== 429 && response.status < 500) {
        throw new RedefError(`${url}: the hub answered ${response.status}`, {
          code: 'hub-refused',
          remedy: 'Check the name; a private or gated model must be downloaded by hand and loaded from its folder.',
        });
      }
      failure = `status ${response.status}`;
    } catch (error) {
      throwIfAborted(signal);
      if (RedefError.isInstance(error)) throw error;
      failure = error;
    }
    if (attempt < attempts) await sleep(Math.min(250 * 2 ** attempt, 5_000));
  }
  throw new RedefError(`${url}: no answer after ${attempts} tries (${describe(failure)})`, {
    code: 'hub-unreachable',
    remedy: 'Check the network, or load the tokenizer from a folder.',
    disposition: 'retry',
    cause: failure,
  });
}

async function readBody(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new RedefError(`${url}: more than ${maxBytes} bytes`, {
        code: 'hub-refused',
        remedy: 'Check that the address is that of a tokenizer file.',
      });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describe(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
