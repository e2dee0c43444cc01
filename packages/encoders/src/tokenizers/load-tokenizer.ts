import { RedefError } from '@redef/core';
import { defineTokenizer, type TokenizerDefinition, type TokenizerFiles } from './definition.js';
import { type HubOptions, hubFiles } from './hub.js';
import { createTokenizer } from './huggingface-tokenizer.js';
import { presetOf, type TokenizerPreset, type TokenizerPresetName } from './presets.js';
import type { Tokenizer } from './tokenizer.js';
import { readTokenizerFiles } from './tokenizer-files.js';

export interface LoadTokenizerOptions extends HubOptions {
  /** The model family, which says what stands around the text: a name or an object of your own. */
  preset: TokenizerPresetName | TokenizerPreset;
}

/**
 * Loads a tokenizer from a folder with `tokenizer.json`, or `vocab.json` and `merges.txt` (and `added_tokens.json` where
 * there is one), or from the Hugging Face hub by `hub:owner/name` or `hub:owner/name@revision`.
 *
 * @throws `RedefError` `file-missing`, `invalid-tokenizer`, `unknown-preset`, or `hub-...` where the hub does not answer as it should
 */
export async function loadTokenizer(source: string, options: LoadTokenizerOptions): Promise<Tokenizer> {
  const preset = presetOf(options.preset);
  return createTokenizer(await loadDefinition(source, options), preset);
}

/** The definition that {@link loadTokenizer} builds from. */
export async function loadDefinition(source: string, options: HubOptions): Promise<TokenizerDefinition> {
  const files = source.startsWith('hub:') ? await hubFiles(source.slice(4), options) : await folderFiles(source);
  return defineTokenizer(files, source);
}

async function folderFiles(folder: string): Promise<TokenizerFiles> {
  const files = await readTokenizerFiles(folder);
  if (Object.keys(files).length === 0) {
    throw new RedefError(`${folder}: no tokenizer files here`, {
      code: 'file-missing',
      remedy:
        'Name a folder with tokenizer.json, or vocab.json and merges.txt; or hub:owner/name for a published model.',
    });
  }
  return files;
}
