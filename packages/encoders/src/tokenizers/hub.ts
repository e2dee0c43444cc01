import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedefError, throwIfAborted } from '@redef/core';
import { writeFileAtomic } from '@redef/core/files';
import type { TokenizerFiles } from './definition.js';
import { maxBytes, readTokenizerFiles } from './tokenizer-files.js';

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
  const cache = options.cacheFolder && join(options.cacheFolder, name, revision);
  if (cache) {
    const kept = await readTokenizerFiles(cache);
    if (kept['tokenizer.json'] !== undefined || kept['merges.txt'] !== undefined) return kept;
  }
  const files = await downloadFiles(
    `${options.endpoint ?? 'https://huggingface.co'}/${name}/resolve/${encodeURIComponent(revision)}`,
    options,
  );
  if (cache) {
    for (const [file, text] of Object.entries(files)) await writeFileAtomic(join(cache, file), text);
  }
  return files;
}

/** In the order in which they are to be written: the last one says that all are there. */
async function downloadFiles(address: string, options: HubOptions): Promise<TokenizerFiles> {
  const whole = await download(`${address}/tokenizer.json`, options);
  if (whole !== undefined) return { 'tokenizer.json': whole };
  const files: TokenizerFiles = {};
  for (const file of ['added_tokens.json', 'vocab.json', 'merges.txt'] as const) {
    const text = await download(`${address}/${file}`, options);
    if (text !== undefined) files[file] = text;
  }
  return files;
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
