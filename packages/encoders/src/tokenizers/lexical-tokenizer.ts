import { RedefError } from '@redef/core';
import { type AddedTokens, addedTokens, decodeAround, encodeAround, stretches } from './added-tokens.js';
import type { Tokenizer } from './tokenizer.js';

export interface LexicalTokenizerOptions {
  /** Ids in use before added tokens, {@link lexicalReserved} first ones included; at least 1,024. Default 65,536. */
  size?: number;
  /** Default 512. */
  maxTokens?: number;
}

/** Ids below this are no lexeme's: 0 `<pad>`, 1 `<s>`, 2 `</s>`, 3 `<unk>`, the rest unused. */
export const lexicalReserved = 16;

const special = ['<pad>', '<s>', '</s>', '<unk>'];

// Longest first within each kind.
const lexeme =
  /[\p{L}_$][\p{L}\p{N}_$]*|\.?\p{N}[\p{L}\p{N}_]*(?:(?:(?<=[^'.][eEpP])[+-]|['.](?=[\p{L}\p{N}_]))[\p{L}\p{N}_]*)*\.?|<<=|>>=|\.\.\.|->\*|<=>|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||##|[-+*/%&|^]=|\.\*|\s+|\S/gu;

/**
 * A tokenizer that needs no vocabulary file: identifiers, numbers, operators, quotes and line breaks with the indentation
 * after them are its lexemes; other white space only separates. An id is a hash of the lexeme (32-bit FNV-1a of its
 * UTF-16 units, finished as MurmurHash3 does) in the range `[16, size)`, equal on every machine, so two lexemes can
 * share one. For bag-of-words baselines; `decode` cannot undo a hash and gives `#id`.
 */
export function createLexicalTokenizer({ size = 65_536, maxTokens = 512 }: LexicalTokenizerOptions = {}): Tokenizer {
  if (!Number.isInteger(size) || size < 1024 || size > 2 ** 31) {
    throw new RedefError(`size must be an integer from 1,024 to 2^31, got ${size}`, {
      code: 'invalid-option',
      remedy: 'Leave it out for 65,536 ids.',
    });
  }
  return lexicalTokenizer(size, maxTokens, addedTokens([], size));
}

function lexicalTokenizer(base: number, maxTokens: number, added: AddedTokens): Tokenizer {
  const encodePlain = (text: string, ids: number[]): void => {
    for (const token of text.match(lexeme) ?? []) if (counts(token)) ids.push(bucket(token, base));
  };
  return {
    id: ['lexical/1', base, ...added.tokens].join(' '),
    size: base + added.tokens.length,
    prefix: Int32Array.of(1),
    suffix: Int32Array.of(2),
    padId: 0,
    maxTokens,
    encode: (text) => encodeAround(text, added, encodePlain),
    decode: (ids) => decodeAround(ids, added, (plain) => plain.map((id) => special[id] ?? `#${id}`).join(' ')),
    addTokens(tokens) {
      const all = [...new Set([...added.tokens, ...tokens])];
      return all.length === added.tokens.length ? this : lexicalTokenizer(base, maxTokens, addedTokens(all, base));
    },
    covered(text, _ids, count) {
      let seen = 0;
      let position = 0;
      for (const stretch of stretches(text, added)) {
        for (const token of added.ids.has(stretch) ? [stretch] : (stretch.match(lexeme) ?? [])) {
          position += token.length;
          if (counts(token) && ++seen === count) return position;
        }
      }
      return text.length;
    },
  };
}

/** A run of white space counts where it holds a line break; other runs only separate. */
function counts(token: string): boolean {
  return /^\S|[\r\n]/.test(token);
}

function bucket(token: string, size: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return lexicalReserved + (((hash ^ (hash >>> 16)) >>> 0) % (size - lexicalReserved));
}
