import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { downloadFile, HubApiError, type ListFileEntry, listFiles, modelInfo } from '@huggingface/hub';
import { RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { readManifest, writeAtomically, writeManifest } from '@redef/core/files';
import { weightFiles } from './weights/checkpoint.js';

export interface DownloadModelOptions extends RunOptions {
  /** `microsoft/codebert-base`. */
  repo: string;
  /** Branch, tag or commit. A commit that was downloaded before needs no network. Default `main`. */
  revision?: string;
  /** Folder for downloaded models: each commit gets a folder of its own in it. */
  cacheDir: string;
  /** Address of the hub. Default: the public one. */
  hubUrl?: string;
  /** For private models; it is sent to the hub alone. */
  accessToken?: string;
  /** Default: the global one. */
  fetch?: typeof fetch;
}

/** What a model consists of besides its weights. */
const companions = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
];
const shard = /^(model|pytorch_model)-\d{5}-of-\d{5}\.(safetensors|bin)$/;
const commitHash = /^[0-9a-f]{40}$/;

/**
 * Downloads a model's configuration, tokenizer and weights (safetensors where there are both) from the Hugging Face
 * Hub, each file checked against the size and, where the hub has one, the digest that it names.
 *
 * @returns the folder, for `openCheckpoint`
 * @throws `RedefError` `hub-failed` (the hub or the network), `model-not-found`, `no-weights`, `corrupt-download`
 */
export async function downloadModel(options: DownloadModelOptions): Promise<string> {
  const { repo, revision = 'main', cacheDir, signal, onEvent } = options;
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(repo)) {
    throw new RedefError(`${JSON.stringify(repo)} is not the name of a model`, {
      code: 'invalid-option',
      remedy: 'Name it as the hub does: owner/model.',
    });
  }
  const folderOf = (commit: string) => join(cacheDir, repo.replace('/', '--'), commit);
  if (commitHash.test(revision) && (await readManifest(folderOf(revision)))) return folderOf(revision);

  const request = options.fetch ?? fetch;
  const connection = {
    fetch: (url: string | URL | Request, init?: RequestInit) =>
      request(url, { ...init, ...(signal ? { signal } : {}) }),
    ...(options.hubUrl === undefined ? {} : { hubUrl: options.hubUrl }),
    ...(options.accessToken === undefined ? {} : { accessToken: options.accessToken }),
  };
  try {
    const { sha } = await modelInfo({ ...connection, name: repo, revision, additionalFields: ['sha'] });
    if (!commitHash.test(sha)) throw new TypeError('the hub named no commit');
    const folder = folderOf(sha);
    if (await readManifest(folder)) return folder;

    const files = await chooseFiles(listFiles({ ...connection, repo, revision: sha }), repo);
    const total = files.reduce((sum, { size }) => sum + size, 0);
    const digests: Record<string, string> = {};
    let done = 0;
    for (const file of files) {
      const path = join(folder, file.path);
      const blob = await downloadFile({ ...connection, repo, path: file.path, revision: sha });
      if (!blob) throw new TypeError(`${file.path} is listed but not there`);
      digests[file.path] = await writeChecked(path, file, blob, (bytes) => {
        throwIfAborted(signal);
        done += bytes;
        onEvent?.({ type: 'progress', stage: `download ${repo}`, done, total, unit: 'bytes' });
      });
    }
    await writeManifest(folder, {
      schema: 'redef.manifest/1',
      stage: 'download-model',
      versions: {},
      config: { repo, revision },
      inputs: { [repo]: sha },
      outputs: digests,
      counts: { in: files.length, kept: files.length, dropped: {} },
    });
    return folder;
  } catch (error) {
    throwIfAborted(signal);
    throw hubError(error, `${repo}@${revision}`);
  }
}

async function chooseFiles(listing: AsyncIterable<ListFileEntry>, repo: string): Promise<ListFileEntry[]> {
  const files = new Map<string, ListFileEntry>();
  for await (const entry of listing) if (entry.type === 'file') files.set(entry.path, entry);
  const weights = weightFiles.find((name) => files.has(name));
  if (!weights) {
    throw new RedefError(`${repo} has no weights: looked for ${weightFiles.join(', ')}`, {
      code: 'no-weights',
      remedy: 'Choose a model with PyTorch or safetensors weights.',
    });
  }
  const extension = weights.includes('safetensors') ? 'safetensors' : 'bin';
  const wanted = (path: string) =>
    path === weights ||
    companions.includes(path) ||
    (weights.endsWith('.index.json') && shard.exec(path)?.[2] === extension);
  return [...files.values()].filter(({ path }) => wanted(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** @returns the SHA-256 of what was written */
async function writeChecked(
  path: string,
  { size, lfs }: ListFileEntry,
  blob: Blob,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  let written = 0;
  await writeAtomically(path, async (file) => {
    for await (const chunk of Readable.fromWeb(blob.stream() as Parameters<typeof Readable.fromWeb>[0])) {
      hash.update(chunk as Uint8Array);
      written += (chunk as Uint8Array).length;
      if (written > size) break;
      await file.writeFile(chunk as Uint8Array);
      onBytes((chunk as Uint8Array).length);
    }
    if (written !== size)
      throw damaged(path, `${size} bytes were announced, ${written > size ? 'more' : written} came`);
    const digest = hash.copy().digest('hex');
    if (lfs && lfs.oid !== digest) throw damaged(path, `SHA-256 is ${digest}, ${lfs.oid} was announced`);
  });
  return hash.digest('hex');
}

function damaged(path: string, problem: string): RedefError {
  return new RedefError(`${path}: ${problem}`, {
    code: 'corrupt-download',
    remedy: 'Run the same command again.',
    disposition: 'retry',
  });
}

function hubError(error: unknown, model: string): unknown {
  if (RedefError.isInstance(error)) return error;
  if (error instanceof HubApiError && [401, 403, 404].includes(error.statusCode)) {
    return new RedefError(`${model}: the hub has no such model, or not for everyone (${error.statusCode})`, {
      code: 'model-not-found',
      remedy: 'Check the name and revision; for a private or gated model pass an access token.',
    });
  }
  return new RedefError(`${model}: download failed: ${error instanceof Error ? error.message : String(error)}`, {
    code: 'hub-failed',
    remedy: 'Check the network and run the same command again, or download the folder another way and name it.',
    disposition: 'retry',
    cause: error,
  });
}
