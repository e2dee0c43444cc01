import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '@redef/core/files';
import { invalid, type TokenizerFiles } from './definition.js';

/** Most bytes of one file. The largest published vocabularies of this kind have 4 MB: more is another file. */
export const maxBytes = 64 * 2 ** 20;

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
    const found = await stat(path);
    if (!found.isFile() || found.size > maxBytes)
      throw invalid(`${path}: expected a file of at most ${maxBytes} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
}
