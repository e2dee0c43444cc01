import { digestOf, RedefError } from '@redef/core';
import { type AddedTokens, addedTokens, decodeAround, encodeAround } from './added-tokens.js';
import { presetOf, type TokenizerPreset, type TokenizerPresetName } from './presets.js';
import type { Tokenizer } from './tokenizer.js';

/**
 * The part that is used of what `AutoTokenizer.from_pretrained` gives: of version 2, `@xenova/transformers`, and of 3 and
 * 4, its successor `@huggingface/transformers`.
 */
export interface TransformersTokenizer {
  (text: string, options: { add_special_tokens: boolean; return_tensor: boolean }): { input_ids: number[] };
  decode(ids: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
  /** Versions 2 and 3. */
  model?: { tokens_to_ids: Map<string, number> };
  special_tokens?: string[];
  /** Version 4. */
  get_vocab?(): Map<string, number>;
  all_special_tokens?: string[];
}

/**
 * A tokenizer of `@xenova/transformers` as one of this package. Its own special tokens are not found in source text: the
 * text is cut inside each, where its first letter follows a bracket, which is a boundary for byte-level BPE anyway.
 * Ids are those of {@link loadTokenizer} but for a text with U+0085 or U+FEFF, which Transformers.js splits by
 * JavaScript's white space and the reference does not.
 *
 * @throws `RedefError` `invalid-tokenizer` where the preset's special tokens are not in its vocabulary
 */
export function fromTransformers(
  tokenizer: TransformersTokenizer,
  { preset: presetOrName }: { preset: TokenizerPresetName | TokenizerPreset },
): Tokenizer {
  const preset = presetOf(presetOrName);
  const vocab = tokenizer.get_vocab?.() ?? tokenizer.model?.tokens_to_ids ?? new Map<string, number>();
  let firstFree = preset.reservedIds;
  for (const id of vocab.values()) firstFree = Math.max(firstFree, id + 1);
  const idOf = (token: string): number => {
    const id = vocab.get(token);
    if (id !== undefined) return id;
    throw new RedefError(`The vocabulary has no ${token}, which preset ${preset.name} needs`, {
      code: 'invalid-tokenizer',
      remedy: 'Choose the preset of the model that the tokenizer belongs to.',
    });
  };
  const forged = addedTokens(tokenizer.all_special_tokens ?? tokenizer.special_tokens ?? [], 0).pattern;
  const encodePlain = (text: string, ids: number[]): void => {
    for (const part of cutInside(text, forged)) {
      const { input_ids } = tokenizer(part, { add_special_tokens: false, return_tensor: false });
      for (const id of input_ids) ids.push(id);
    }
  };
  const decodePlain = (ids: number[]): string =>
    tokenizer.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  const name = `${preset.name}/${digestOf(Object.fromEntries(vocab)).slice(0, 8)}`;
  const frame = {
    prefix: Int32Array.from(preset.prefix, idOf),
    suffix: Int32Array.from(preset.suffix, idOf),
    padId: idOf(preset.pad),
    maxTokens: preset.maxTokens,
  };
  const withAdded = (added: AddedTokens): Tokenizer => ({
    ...frame,
    id: [name, ...added.tokens].join(' '),
    size: firstFree + added.tokens.length,
    encode: (text) => encodeAround(text, added, encodePlain),
    decode: (ids) => decodeAround(ids, added, decodePlain),
    addTokens(tokens) {
      const all = [...new Set([...added.tokens, ...tokens])];
      return all.length === added.tokens.length ? this : withAdded(addedTokens(all, firstFree));
    },
  });
  return withAdded(addedTokens([], firstFree));
}

/** The text in parts of which none holds a match of `pattern`. */
function cutInside(text: string, pattern: RegExp | undefined): string[] {
  const parts: string[] = [];
  let start = 0;
  if (pattern) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const cut = match.index + Math.max(1, match[0].search(/\p{L}/u));
      parts.push(text.slice(start, cut));
      start = cut;
      pattern.lastIndex = cut;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
