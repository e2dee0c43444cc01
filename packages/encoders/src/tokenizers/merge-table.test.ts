import { ByteLevelPreTokenizer, Tokenizer as Library } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedFile } from '../../test/changes.js';
import { tinyMerges, tinyVocabulary } from '../../test/tiny-tokenizer.js';
import { defineTokenizer, type TokenizerDefinition } from './definition.js';
import { loadDefinition } from './load-tokenizer.js';
import { MergeTable } from './merge-table.js';

const bytes = new ByteLevelPreTokenizer({ type: 'ByteLevel', add_prefix_space: false, use_regex: false });

/** The library's ids of a text taken as one piece. */
function reference(definition: TokenizerDefinition): (piece: string) => number[] {
  const { model } = new Library(definition, {});
  return (piece) => model!.encode(bytes.pre_tokenize_text(piece)).map((token) => model!.tokens_to_ids.get(token)!);
}

const piece = fc
  .array(
    fc.constantFrom('i', 'n', 't', 'r', 'e', ' ', '=', 'int', 'return', '"', '\\x00', '\u{1F600}', '\uD800', 'é'),
    {
      minLength: 1,
      maxLength: 200,
    },
  )
  .map((parts) => parts.join(''));

it('merges as the library does', () => {
  const definition = defineTokenizer(
    { 'vocab.json': JSON.stringify(tinyVocabulary), 'merges.txt': tinyMerges },
    'tiny',
  );
  const [ours, expected] = [new MergeTable(definition), reference(definition)];
  fc.assert(
    fc.property(piece, (text) => {
      expect(ours.encode(text)).toEqual(expected(text));
    }),
    { numRuns: 500 },
  );
});

it('merges as the library does where a later merge makes room for an earlier one', () => {
  const merges = tinyMerges.trim().split('\n').slice(1);
  fc.assert(
    fc.property(fc.shuffledSubarray(merges, { minLength: merges.length }), piece, (shuffled, text) => {
      const files = { 'vocab.json': JSON.stringify(tinyVocabulary), 'merges.txt': shuffled.join('\n') };
      const definition = defineTokenizer(files, 'tiny');
      expect(new MergeTable(definition).encode(text)).toEqual(reference(definition)(text));
    }),
    { numRuns: 200 },
  );
});

it.each(['codebert-base', 'codet5', 'vrepair-bpe-5k'])(
  'merges as the library does with the vocabulary of %s',
  async (name) => {
    const file = sharedFile(`data/tokenizers/${name}/vocab.json`);
    if (!file) return;
    const definition = await loadDefinition(file.slice(0, -'/vocab.json'.length), {});
    const [ours, expected] = [new MergeTable(definition), reference(definition)];
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.oneof(piece, word), (text) => {
        expect(ours.encode(text)).toEqual(expected(text));
      }),
      { numRuns: 200 },
    );
    for (const unit of ['"', 'a', 'ab', '0', '_', '\\', 'int', 'xyz', 'é', '\u{1F600}'])
      expect(ours.encode(unit.repeat(1000))).toEqual(expected(unit.repeat(1000)));
  },
);
