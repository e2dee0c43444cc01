import type { Tokenizer } from '@redef/encoders';

/**
 * Code points as tokens, for chat models: their servers take text and keep their vocabulary to themselves. A budget counts
 * characters, and `decode` gives back exactly what an encoding laid out. Marks are characters as any others.
 */
export function createCharacterTokenizer(maxTokens: number): Tokenizer {
  const none = new Int32Array();
  return {
    id: 'characters/1',
    size: 0x110000,
    prefix: none,
    suffix: none,
    padId: 0,
    maxTokens,
    encode: (text) => Int32Array.from(text, (character) => character.codePointAt(0)!),
    decode: (ids) => Array.from(ids, (id) => String.fromCodePoint(id)).join(''),
    addTokens() {
      return this;
    },
  };
}
