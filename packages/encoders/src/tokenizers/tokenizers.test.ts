import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realChanges, sharedFile } from '../../test/changes.js';
import { loadTokenizer } from './load-tokenizer.js';
import { loadNativeTokenizer } from './native-tokenizer.js';
import type { TokenizerPresetName } from './presets.js';
import { coveredLength, type Tokenizer } from './tokenizer.js';
import { fromTransformers, type TransformersTokenizer } from './transformers-tokenizer.js';

const { tags, strings, golden } = JSON.parse(
  readFileSync(new URL('../../test/fixtures/golden-ids.json', import.meta.url), 'utf8'),
) as { tags: string[]; strings: string[]; golden: Record<string, number[][]> };

const folders: [string, TokenizerPresetName][] = [
  ['codebert-base', 'codebert'],
  ['codet5', 'codet5p'],
  ['vrepair-bpe-5k', 'roberta'],
];

const hard = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ' ',
      '  ',
      '\t',
      '\n',
      '\r\n',
      "'t",
      "'",
      'int',
      'x',
      '0',
      '==',
      '<s>',
      '</s>',
      '<mask>',
      '<pad>',
      '<extra_id_3>',
      '<CHG>',
      '<',
      'CHG>',
      '\uFEFF',
      '\u0085',
      '\u{1F600}',
      '\uD800',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
const hardText = fc.array(hard, { maxLength: 12 }).map((parts) => parts.join(''));

describe.each(folders)('%s', (folder, preset) => {
  const file = sharedFile(`data/tokenizers/${folder}/vocab.json`);
  if (!file) {
    it.skip('needs the shared tokenizers', () => {});
    return;
  }
  const source = file.slice(0, -'/vocab.json'.length);
  const loaded: Promise<Tokenizer> = loadTokenizer(source, { preset });

  it('gives the ids of the reference on edge strings', async () => {
    const tokenizer = (await loaded).addTokens(tags);
    for (const [i, text] of strings.entries()) expect([...tokenizer.encode(text)], text).toEqual(golden[folder]![i]);
  });

  it('gives them through the native package too', async () => {
    const tokenizer = (await loadNativeTokenizer(source, { preset })).addTokens(tags);
    expect((await tokenizer.encodeBatch(strings)).map((ids) => [...ids])).toEqual(golden[folder]);
    expect(tokenizer.addTokens(tags)).toBe(tokenizer);
  });

  it('finds no special token in a text, agrees with the native package and decodes to the text', async () => {
    const tokenizer = (await loaded).addTokens(['<CHG>']);
    const native = (await loadNativeTokenizer(source, { preset })).addTokens(['<CHG>']);
    const texts = fc.sample(hardText, { numRuns: 2000, seed: 42 });
    texts.push(
      ...realChanges()
        .filter((_, i) => i % 10 === 0)
        .map((change) => change.function_after),
    );
    const expected = await native.encodeBatch(texts);
    const special = new Set([...tokenizer.prefix, ...tokenizer.suffix, tokenizer.padId]);
    for (const [i, text] of texts.entries()) {
      const ids = tokenizer.encode(text);
      expect(ids, JSON.stringify(text)).toEqual(expected[i]);
      expect(ids.some((id) => special.has(id))).toBe(false);
      expect(tokenizer.decode(ids)).toBe(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
    }
  });

  it('knows how much of a text its first tokens cover', async () => {
    const tokenizer = (await loaded).addTokens(['<CHG>']);
    const { covered: _, ...byDecoding } = tokenizer;
    for (const text of fc.sample(hardText, { numRuns: 500, seed: 7 })) {
      const ids = tokenizer.encode(text);
      for (let count = 0; count <= ids.length; count++) {
        const length = coveredLength(tokenizer, text, ids, count);
        expect(Buffer.byteLength(text.slice(0, length))).toBeLessThanOrEqual(
          Buffer.byteLength(tokenizer.decode(ids.subarray(0, count))),
        );
        if (!/\uFFFD|\p{Surrogate}/u.test(text)) expect(length).toBe(coveredLength(byDecoding, text, ids, count));
      }
    }
  });

  it('gives added tokens ids after those in use and leaves the first tokenizer as it was', async () => {
    const tokenizer = await loaded;
    const added = tokenizer.addTokens(['<A>', '<B>', '<A>']);
    expect(added.size).toBe(tokenizer.size + 2);
    expect([...added.encode('<A><B>')]).toEqual([tokenizer.size, tokenizer.size + 1]);
    expect(added.addTokens(['<B>'])).toBe(added);
    expect([...added.addTokens(['<C>']).encode('<B><C>')]).toEqual([tokenizer.size + 1, tokenizer.size + 2]);
    expect(tokenizer.encode('<A>').length).toBeGreaterThan(1);
    expect(() => tokenizer.addTokens([''])).toThrow(/empty/);
  });
});

describe('codebert-base', () => {
  it('is the same from tokenizer.json and from vocab.json with merges.txt', () => {
    expect(golden['codebert-base']).toEqual(golden['codebert-base from vocab.json']);
  });
});

describe('fromTransformers', () => {
  it('gives the same ids', async ({ skip }) => {
    const name = '@xenova/transformers'; // 475 MB with its runtimes: installed by hand where this is to be checked
    const library = await import(/* @vite-ignore */ name).catch(() => undefined);
    const file = sharedFile('data/tokenizers/codebert-base/tokenizer.json');
    if (!library || !file) {
      console.warn('SKIPPED: fromTransformers is checked where @xenova/transformers is installed');
      skip();
      return;
    }
    const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
    const theirs: TransformersTokenizer = new library.PreTrainedTokenizer(
      parse(file),
      parse(file.replace('tokenizer.json', 'tokenizer_config.json')),
    );
    const adapted = fromTransformers(theirs, { preset: 'codebert' }).addTokens(tags);
    const ours = (await loadTokenizer(file.slice(0, -'/tokenizer.json'.length), { preset: 'codebert' })).addTokens(
      tags,
    );
    expect(adapted.size).toBe(ours.size);
    for (const text of [...strings, ...fc.sample(hardText, { numRuns: 1000, seed: 42 })]) {
      if (/[\u0085\uFEFF]/.test(text)) continue; // the library's own white space differs from the reference there
      expect(adapted.encode(text), JSON.stringify(text)).toEqual(ours.encode(text));
      expect(adapted.decode(adapted.encode(text))).toBe(ours.decode(ours.encode(text)));
    }
  });
});
