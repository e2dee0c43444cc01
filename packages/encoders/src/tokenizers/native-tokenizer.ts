import { RedefError } from '@redef/core';
import type { Tokenizer as NativeModel } from 'tokenizers';
import type { TokenizerDefinition } from './definition.js';
import { createTokenizer } from './huggingface-tokenizer.js';
import { type LoadTokenizerOptions, loadDefinition } from './load-tokenizer.js';
import { presetOf } from './presets.js';
import type { BatchTokenizer, Tokenizer } from './tokenizer.js';

/**
 * {@link loadTokenizer} with batches encoded by the native `tokenizers` package, which must be installed beside this one.
 * Ids are the same. The native package encodes asynchronously, on all cores unless `RAYON_NUM_THREADS` says otherwise, so
 * the synchronous `encode` and `decode` stay those of the JavaScript one.
 *
 * @throws `RedefError` `package-missing` where `tokenizers` is not installed; else as {@link loadTokenizer}
 */
export async function loadNativeTokenizer(source: string, options: LoadTokenizerOptions): Promise<BatchTokenizer> {
  const native = await import('tokenizers').catch((cause: unknown) => {
    throw new RedefError('The package tokenizers is not installed, or has no build for this machine', {
      code: 'package-missing',
      remedy: 'npm install tokenizers, or use loadTokenizer, which needs nothing more.',
      cause,
    });
  });
  const preset = presetOf(options.preset);
  const definition = await loadDefinition(source, options);
  const build = (json: string): NativeModel => native.Tokenizer.fromString(json);
  return batchTokenizer(build, definition, createTokenizer(definition, preset), []);
}

function batchTokenizer(
  build: (json: string) => NativeModel,
  definition: TokenizerDefinition,
  tokenizer: Tokenizer,
  added: readonly string[],
): BatchTokenizer {
  let model: NativeModel | undefined; // built when first asked: marks are added before, and each set of marks is a model
  return {
    ...tokenizer,
    async encodeBatch(texts) {
      model ??= build(JSON.stringify(withTokens(definition, tokenizer.size - added.length, added)));
      const encodings = await model.encodeBatch([...texts], { addSpecialTokens: false });
      return encodings.map((encoding) => Int32Array.from(encoding.getIds()));
    },
    addTokens(tokens) {
      const all = [...new Set([...added, ...tokens])];
      return all.length === added.length ? this : batchTokenizer(build, definition, tokenizer.addTokens(tokens), all);
    },
  };
}

/** The definition with tokens from `firstId` on. They stand in the vocabulary too: the native package numbers others itself. */
function withTokens(definition: TokenizerDefinition, firstId: number, tokens: readonly string[]): object {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
  const numbered = tokens.map((content, index) => ({ id: firstId + index, content, ...flags }));
  const vocab = { ...definition.model.vocab };
  for (const { content, id } of numbered) vocab[content] = id;
  return { ...definition, added_tokens: numbered, model: { ...definition.model, vocab } };
}
