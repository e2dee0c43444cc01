import { digestOf, RedefError } from '@redef/core';
import { type AddedTokens, addedTokens, decodeAround, encodeAround } from './added-tokens.js';
import { ByteLevelBpe } from './byte-level-bpe.js';
import type { TokenizerDefinition } from './definition.js';
import type { TokenizerPreset } from './presets.js';
import type { Tokenizer } from './tokenizer.js';
import { unitsWithin } from './utf8.js';

/**
 * A byte-level BPE tokenizer in pure JavaScript from its definition: ids are those of `@huggingface/tokenizers`, which decodes.
 *
 * @throws `RedefError` `invalid-tokenizer` where the definition is of another kind, or the preset's special tokens are
 * not in it
 */
export function createTokenizer(definition: TokenizerDefinition, preset: TokenizerPreset): Tokenizer {
  const { vocab } = definition.model;
  const idOf = (token: string): number => {
    if (Object.hasOwn(vocab, token)) return vocab[token]!;
    throw new RedefError(`The vocabulary has no ${token}, which preset ${preset.name} needs`, {
      code: 'invalid-tokenizer',
      remedy: 'Choose the preset of the model that the files belong to.',
    });
  };
  const lengths = byteLengths(vocab);
  const base = {
    model: new ByteLevelBpe(definition),
    name: `${preset.name}/${digestOf(definition.model).slice(0, 8)}`,
    maxTokens: preset.maxTokens,
    prefix: Int32Array.from(preset.prefix, idOf),
    suffix: Int32Array.from(preset.suffix, idOf),
    padId: idOf(preset.pad),
    lengths,
    firstFree: Math.max(lengths.length, preset.reservedIds),
  };
  return withAdded(base, addedTokens([], base.firstFree));
}

interface Base {
  model: ByteLevelBpe;
  name: string;
  maxTokens: number;
  prefix: Int32Array;
  suffix: Int32Array;
  padId: number;
  /** UTF-8 bytes of each id's token. */
  lengths: Uint16Array;
  firstFree: number;
}

function withAdded(base: Base, added: AddedTokens): Tokenizer {
  const { model, name, lengths, firstFree, ...rest } = base;
  const tokenizer: Tokenizer = {
    ...rest,
    id: [name, ...added.tokens].join(' '),
    size: firstFree + added.tokens.length,
    encode: (text) => encodeAround(text, added, (plain, ids) => model.encode(plain, ids)),
    decode: (ids) => decodeAround(ids, added, (plain) => model.decode(plain)),
    addTokens(tokens) {
      const all = [...new Set([...added.tokens, ...tokens])];
      return all.length === added.tokens.length ? tokenizer : withAdded(base, addedTokens(all, firstFree));
    },
    covered(text, ids, count) {
      let bytes = 0;
      for (let i = 0; i < count; i++) {
        const id = ids[i]!;
        bytes += id < firstFree ? (lengths[id] ?? 0) : Buffer.byteLength(added.texts.get(id) ?? '');
      }
      return unitsWithin(text, bytes);
    },
  };
  return tokenizer;
}

/** In a byte-level vocabulary each character of a token stands for one byte. */
function byteLengths(vocab: Record<string, number>): Uint16Array {
  let size = 0;
  for (const id of Object.values(vocab)) size = Math.max(size, id + 1);
  const lengths = new Uint16Array(size);
  for (const [token, id] of Object.entries(vocab)) lengths[id] = token.length;
  return lengths;
}
