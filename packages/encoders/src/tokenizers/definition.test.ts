import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChange } from '../../test/changes.js';
import { tinyMerges, tinyVocabulary } from '../../test/tiny-tokenizer.js';
import { createEncoding, encodingNames } from '../encodings/create-encoding.js';
import { defineTokenizer, type TokenizerFiles } from './definition.js';
import { createTokenizer } from './huggingface-tokenizer.js';
import { presetOf, type TokenizerPreset, type TokenizerPresetName } from './presets.js';

const older: TokenizerFiles = { 'vocab.json': JSON.stringify(tinyVocabulary), 'merges.txt': tinyMerges };
const whole = {
  model: { type: 'BPE', vocab: tinyVocabulary, merges: tinyMerges.trim().split('\n').slice(1) },
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
  normalizer: null,
  added_tokens: [{ id: 300, content: '<extra>', special: true }],
};
const load = (files: TokenizerFiles, preset: TokenizerPresetName = 'roberta') =>
  createTokenizer(defineTokenizer(files, 'here'), presetOf(preset));

describe('defineTokenizer', () => {
  it('reads both forms, merges as text or pairs, any line ends', () => {
    const pairs = { ...whole, model: { ...whole.model, merges: whole.model.merges.map((merge) => merge.split(' ')) } };
    const expected = load(older).encode('int ret = 0;    x');
    expect(expected.length).toBe(11);
    for (const files of [
      { ...older, 'merges.txt': tinyMerges.replaceAll('\n', '\r\n') },
      { 'tokenizer.json': JSON.stringify(whole) },
      { 'tokenizer.json': JSON.stringify(pairs) },
    ]) {
      expect(load(files).encode('int ret = 0;    x')).toEqual(expected);
    }
  });

  it('counts tokens that were added to the vocabulary, and those that the model has beyond its file', () => {
    expect(load(older).size).toBe(270);
    expect(load({ ...older, 'added_tokens.json': '{"<extra>": 280}' }).size).toBe(281);
    expect(load({ 'tokenizer.json': JSON.stringify(whole) }).size).toBe(301);
    expect(load(older, 'codet5p').size).toBe(32_100);
    expect([...load(older, 'codet5p').addTokens(['<CHG>']).encode('<CHG>')]).toEqual([32_100]);
  });

  it.each<[string, TokenizerFiles]>([
    ['no files', {}],
    ['vocab.json without merges.txt', { 'vocab.json': '{}' }],
    ['a file cut off', { ...older, 'vocab.json': '{"a": 1' }],
    ['a list', { ...older, 'vocab.json': '[]' }],
    ['an empty vocabulary', { ...older, 'vocab.json': '{}' }],
    ['an id that is no integer', { ...older, 'vocab.json': '{"a": 1.5}' }],
    ['a vocabulary that lacks a byte', { ...older, 'vocab.json': '{"a": 1}' }],
    ['a huge id', { ...older, 'vocab.json': '{"a": 16777216}' }],
    ['a merge of one token', { ...older, 'merges.txt': 'a\n' }],
    ['a merge that the vocabulary lacks', { ...older, 'merges.txt': 'z z\n' }],
    ['merges cut short', { ...older, 'merges.txt': tinyMerges.split('\n').slice(0, 3).join('\n') }],
    ['no merges', { ...older, 'merges.txt': '' }],
    [
      'no merges in tokenizer.json',
      { 'tokenizer.json': JSON.stringify({ ...whole, model: { ...whole.model, merges: [] } }) },
    ],
    ['two tokens with one id', { ...older, 'vocab.json': JSON.stringify({ ...tinyVocabulary, b: tinyVocabulary.a }) }],
    [
      'an added token that has another id in the vocabulary',
      { 'tokenizer.json': JSON.stringify({ ...whole, added_tokens: [{ id: 300, content: '<s>', special: true }] }) },
    ],
    ['WordPiece', { 'tokenizer.json': JSON.stringify({ ...whole, model: { ...whole.model, type: 'WordPiece' } }) }],
    ['another pre-tokenizer', { 'tokenizer.json': JSON.stringify({ ...whole, pre_tokenizer: { type: 'Metaspace' } }) }],
    ['a normalizer', { 'tokenizer.json': JSON.stringify({ ...whole, normalizer: { type: 'Lowercase' } }) }],
    ['null', { 'tokenizer.json': 'null' }],
    [
      'added tokens that stand for source text',
      { 'tokenizer.json': JSON.stringify({ ...whole, added_tokens: [{ id: 300, content: '  ', special: false }] }) },
    ],
    ...Object.entries({
      dropout: 0.1,
      continuing_subword_prefix: '##',
      end_of_word_suffix: '</w>',
      ignore_merges: true,
    }).map(([name, value]): [string, TokenizerFiles] => [
      name,
      { 'tokenizer.json': JSON.stringify({ ...whole, model: { ...whole.model, [name]: value } }) },
    ]),
    ['added tokens of another form', { 'tokenizer.json': JSON.stringify({ ...whole, added_tokens: [{ id: 'a' }] }) }],
  ])('refuses %s', (_, files) => {
    expect(() => load(files)).toThrow(expect.objectContaining({ code: 'invalid-tokenizer' }));
  });

  it('refuses a preset that does not exist or does not go with the vocabulary', () => {
    expect(() => presetOf(undefined as unknown as TokenizerPreset)).toThrow(/no tokenizer preset undefined/);
    expect(() => presetOf('gpt' as 'roberta')).toThrow(/no tokenizer preset "gpt"/);
    for (const preset of [null, {}, { name: 'x' }, ['roberta']]) {
      expect(() => presetOf(preset as unknown as TokenizerPreset)).toThrow(/no tokenizer preset/);
    }
    const { '<encoder-only>': _, ...vocabulary } = tinyVocabulary;
    expect(() => load({ ...older, 'vocab.json': JSON.stringify(vocabulary) }, 'unixcoder')).toThrow(/<encoder-only>/);
  });
});

describe('presets', () => {
  const change = { id: '00', function_before: '', function_after: 'int ret' };
  it.each([
    ['codebert', [0], [2], 512],
    ['graphcodebert', [0], [2], 512],
    ['codet5p', [0], [2], 512],
    ['unixcoder', [0, 5, 2], [2], 512],
    ['unixcoder-1024', [0, 5, 2], [2], 1024],
  ] as const)('%s frames its inputs', (name, prefix, suffix, maxTokens) => {
    const tokenizer = load(older, name);
    const { inputIds } = createEncoding('after-only').encode(change, { tokenizer, maxTokens });
    expect([...inputIds]).toEqual([...prefix, ...tokenizer.encode('int ret'), ...suffix]);
    expect(tokenizer.maxTokens).toBe(maxTokens);
  });

  it.each(encodingNames)('keep the budget of a byte-level tokenizer to the token: %s', (name) => {
    const tokenizer = load(older, 'unixcoder');
    const encoding = createEncoding(name);
    fc.assert(
      fc.property(anyChange, fc.integer({ min: 4, max: 200 }), (change, maxTokens) => {
        const { inputIds, tokens, tokensLost } = encoding.encode(change, { tokenizer, maxTokens });
        expect(inputIds.length).toBe(Math.min(maxTokens, tokens + 4));
        expect(tokensLost).toBe(tokens + 4 - inputIds.length);
        expect([...inputIds.slice(0, 3), inputIds.at(-1)]).toEqual([0, 5, 2, 2]);
        expect(inputIds.subarray(3, -1).some((id) => id < 6)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it.each(encodingNames)('give ids that are those of the whole text where nothing is cut: %s', (name) => {
    const tokenizer = load(older);
    const encoding = createEncoding(name);
    const marked = tokenizer.addTokens(encoding.specialTokens);
    fc.assert(
      fc.property(anyChange, (change) => {
        const { inputIds, text } = encoding.encode(change, { tokenizer, maxTokens: 1_000_000 });
        expect(inputIds.subarray(1, -1)).toEqual(marked.encode(text));
      }),
      { numRuns: 300 },
    );
  });
});
