import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PreTrainedTokenizer } from '@xenova/transformers/src/tokenizers.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realChanges, sharedFile } from '../../test/changes.js';
import { loadTokenizer } from './load-tokenizer.js';
import { loadNativeTokenizer } from './native-tokenizer.js';
import { type TokenizerPresetName, tokenizerPresets } from './presets.js';
import { type BatchTokenizer, coveredLength, type Tokenizer } from './tokenizer.js';
import { fromTransformers, type TransformersTokenizer } from './transformers-tokenizer.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const fixtures = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const parse = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const { tags, strings, golden } = parse(`${fixtures}golden-ids.json`) as {
  tags: string[];
  strings: string[];
  golden: Record<string, number[][]>;
};
golden['small-bpe'] = parse(`${fixtures}small-bpe/golden-ids.json`) as number[][];

/** The folder of a tokenizer, or `undefined`, said aloud, where it is a published one and not on this machine. */
function folderOf(name: string): string | undefined {
  if (name === 'small-bpe') return `${fixtures}${name}`;
  return sharedFile(`data/tokenizers/${name}/vocab.json`)?.slice(0, -'/vocab.json'.length);
}

const folders: [string, TokenizerPresetName][] = [
  ['small-bpe', 'roberta'],
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

/** Characters that the library of Transformers.js takes for white space, or not, against the reference. */
const ownWhiteSpace = /[\u0085\uFEFF]/;

describe.each(folders)('%s', (folder, preset) => {
  const source = folderOf(folder);
  if (!source) {
    it.skip('needs the shared tokenizers', () => {});
    return;
  }
  const loaded: Promise<Tokenizer> = loadTokenizer(source, { preset });
  const native: Promise<BatchTokenizer> = loadNativeTokenizer(source, { preset }).then((own) => own.addTokens(tags));

  it('gives the ids of the reference on edge strings', async () => {
    const tokenizer = (await loaded).addTokens(tags);
    for (const [i, text] of strings.entries()) expect([...tokenizer.encode(text)], text).toEqual(golden[folder]![i]);
  });

  it('gives them through the native package too', async () => {
    const tokenizer = await native;
    expect((await tokenizer.encodeBatch(strings)).map((ids) => [...ids])).toEqual(golden[folder]);
    expect(tokenizer.addTokens(tags)).toBe(tokenizer);
  });

  it('finds no special token in a text, agrees with the native package and decodes to the text', async () => {
    const tokenizer = (await loaded).addTokens(tags);
    const texts = fc.sample(hardText, { numRuns: 2000, seed: 42 });
    texts.push(
      ...realChanges()
        .filter((_, i) => i % 10 === 0)
        .map((change) => change.function_after),
    );
    const expected = await (await native).encodeBatch(texts);
    const special = new Set([...tokenizer.prefix, ...tokenizer.suffix, tokenizer.padId]);
    // Texts by what is wrong with them: thousands of assertions on arrays would take most of the time.
    const ids = texts.map((text) => tokenizer.encode(text));
    expect(texts.filter((_, i) => ids[i]!.join() !== expected[i]!.join())).toEqual([]);
    expect(texts.filter((_, i) => ids[i]!.some((id) => special.has(id)))).toEqual([]);
    const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
    expect(texts.filter((text, i) => tokenizer.decode(ids[i]!) !== wellFormed(text))).toEqual([]);
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

it('keeps no text in memory for the words it remembers', async () => {
  const tokenizer = await loadTokenizer(`${fixtures}small-bpe`, { preset: 'roberta' });
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  // Letters alone: digits are words of their own.
  const wordOf = (i: number): string =>
    `standsInOneTextAlone${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`;
  const encode = (i: number): void => {
    tokenizer.encode(Buffer.from(`${'int '.repeat(50_000)}${wordOf(i)}`).toString());
  };
  for (let i = 0; i < 20; i++) encode(i);
  const start = heap();
  for (let i = 20; i < 120; i++) encode(i);
  expect(heap() - start).toBeLessThan(2 * 2 ** 20); // the texts have 20 MB
});

describe('codebert-base', () => {
  it('is the same from tokenizer.json and from vocab.json with merges.txt', () => {
    expect(golden['codebert-base']).toEqual(golden['codebert-base from vocab.json']);
  });
});

describe.each(folders.slice(0, 2))('fromTransformers, %s', (folder, preset) => {
  const source = folderOf(folder);
  if (!source) {
    it.skip('needs the shared tokenizers', () => {});
    return;
  }

  it('gives the same ids and takes no special token from a text', async () => {
    const theirs: TransformersTokenizer = new PreTrainedTokenizer(parse(`${source}/tokenizer.json`), {});
    const adapted = fromTransformers(theirs, { preset }).addTokens(tags);
    const ours = (await loadTokenizer(source, { preset })).addTokens(tags);
    const { size, prefix, suffix, padId, maxTokens } = ours;
    expect(adapted).toMatchObject({ size, prefix, suffix, padId, maxTokens });
    for (const [i, text] of strings.entries()) {
      if (!ownWhiteSpace.test(text)) expect([...adapted.encode(text)], text).toEqual(golden[folder]![i]);
    }
    const texts = fc.sample(hardText, { numRuns: 1000, seed: 42 }).filter((text) => !ownWhiteSpace.test(text));
    const ids = texts.map((text) => ours.encode(text));
    expect(texts.filter((text, i) => adapted.encode(text).join() !== ids[i]!.join())).toEqual([]);
    expect(texts.filter((_, i) => adapted.decode([...ids[i]!]) !== ours.decode(ids[i]!))).toEqual([]);
    expect(() => fromTransformers(theirs, { preset: { ...tokenizerPresets.roberta, suffix: ['<none>'] } })).toThrow(
      expect.objectContaining({ code: 'invalid-tokenizer' }),
    );
  });
});
