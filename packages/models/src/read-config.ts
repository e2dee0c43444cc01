import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { type ModelConfig, parseConfig } from './config.js';

/**
 * Reads the `config.json` of a model's folder, or such a file by another name that ends in `.json`.
 *
 * @throws `RedefError` `file-missing`, `unsupported-model` as {@link parseConfig}, and where the file is not JSON
 */
export async function readConfig(path: string): Promise<ModelConfig> {
  const file = path.endsWith('.json') ? path : join(path, 'config.json');
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, file);
    throw new RedefError(`${file}: not JSON`, {
      code: 'unsupported-model',
      remedy: 'Download or copy the file again.',
      cause: error,
    });
  }
  return parseConfig(json, file);
}
