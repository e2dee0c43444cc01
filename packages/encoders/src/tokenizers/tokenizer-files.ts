import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '@redef/core/files';
import type { TokenizerFiles } from './definition.js';

/** The tokenizer files of a folder; those that are not there are left out. `tokenizer.json` alone where there is one. */
export async function readTokenizerFiles(folder: string): Promise<TokenizerFiles> {
  const files: TokenizerFiles = {};
  for (const name of ['tokenizer.json', 'vocab.json', 'merges.txt', 'added_tokens.json'] as const) {
    const text = await readIfThere(join(folder, name));
    if (text !== undefined) files[name] = text;
    if (name === 'tokenizer.json' && text !== undefined) break;
  }
  return files;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
}
