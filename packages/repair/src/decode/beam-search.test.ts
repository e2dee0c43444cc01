import { createRng, RedefError } from '@redef/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import golden from '../../test/fixtures/decoding.json' with { type: 'json' };
import { createTableDecoder, randomTable } from '../../test/table-decoder.js';
import { type BeamSearchOptions, beamSearch } from './beam-search.js';
import type { DecodeLimits, Hypothesis } from './decoder-step.js';
import { greedySearch } from './greedy-search.js';

const bytes = Uint8Array.from(Buffer.from(golden.table, 'base64'));
const table = new Float32Array(bytes.buffer);
const limits = { startToken: golden.start, endToken: golden.end };
const plain = (hypotheses: readonly Hypothesis[]) =>
  hypotheses.map(({ tokens, logProbability, score, finished }) => [tokens.join(' '), logProbability, score, finished]);

describe('equal to PyTorch, token for token', () => {
  test.each(golden.cases.map((each) => [`${Object.values(each.rule).join(' ')}, width ${each.width}`, each] as const))(
    '%s',
    async (_name, { rule, width, maxNewTokens, minNewTokens, results }) => {
      const { decoder, start } = createTableDecoder(table, golden.vocabulary);
      const options = { ...limits, rule, width, maxNewTokens, minNewTokens } as BeamSearchOptions;
      const found = await beamSearch(decoder, start(golden.samples), golden.samples, options);
      expect(found.map(plain)).toEqual(results);
    },
  );
});

/** Every sequence up to the limit with its log-probability, summed as the search does. */
function enumerate(after: (prefix: readonly number[]) => Float32Array, vocabulary: number, limits: DecodeLimits) {
  const all: { tokens: number[]; logProbability: number; finished: boolean; length: number }[] = [];
  const extend = (tokens: number[], logProbability: number): void => {
    if (tokens.length === limits.maxNewTokens) {
      all.push({ tokens, logProbability, finished: false, length: tokens.length });
      return;
    }
    const row = after([limits.startToken, ...tokens]);
    for (let token = 0; token < vocabulary; token++) {
      const sum = Math.fround(logProbability + row[token]!);
      if (token !== limits.endToken) extend([...tokens, token], sum);
      else if (tokens.length >= (limits.minNewTokens ?? 0)) {
        all.push({ tokens, logProbability: sum, finished: true, length: tokens.length + 1 });
      }
    }
  };
  extend([], 0);
  return all;
}

describe('a beam wide enough equals exhaustive search', () => {
  const small = fc.record({
    seed: fc.integer({ min: 0, max: 1e6 }),
    vocabulary: fc.integer({ min: 2, max: 4 }),
    maxNewTokens: fc.integer({ min: 1, max: 4 }),
    minNewTokens: fc.integer({ min: 0, max: 1 }),
  });

  test('Hugging Face, any length penalty', async () => {
    await fc.assert(
      fc.asyncProperty(
        small,
        fc.constantFrom(0, 0.5, 1, 2),
        async ({ seed, vocabulary, ...lengths }, lengthPenalty) => {
          const { decoder, start, after } = createTableDecoder(
            randomTable(createRng(seed).next, 23, vocabulary),
            vocabulary,
          );
          const options = { startToken: 0, endToken: 1, ...lengths };
          const [found] = await beamSearch(decoder, start(1), 1, {
            ...options,
            width: 600,
            rule: { name: 'hugging-face', lengthPenalty },
          });
          const expected = enumerate((prefix) => after(0, prefix), vocabulary, options)
            .map((each) => ({ ...each, score: each.logProbability / each.length ** lengthPenalty }))
            .sort((a, b) => b.score - a.score);
          expect(found!.map(({ score }) => score)).toEqual(expected.map(({ score }) => score));
          expect(new Set(plain(found!).map(String))).toEqual(
            new Set(
              expected.map(({ tokens, ...rest }) =>
                String([tokens.join(' '), rest.logProbability, rest.score, rest.finished]),
              ),
            ),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('CodeXGLUE', async () => {
    await fc.assert(
      fc.asyncProperty(small, async ({ seed, vocabulary, ...lengths }) => {
        const { decoder, start, after } = createTableDecoder(
          randomTable(createRng(seed).next, 23, vocabulary),
          vocabulary,
        );
        const options = { startToken: 0, endToken: 1, ...lengths };
        const [found] = await beamSearch(decoder, start(1), 1, { ...options, width: 600, rule: { name: 'codexglue' } });
        const expected = enumerate((prefix) => after(0, prefix), vocabulary, options).sort(
          (a, b) => Number(b.finished) - Number(a.finished) || b.logProbability - a.logProbability,
        );
        const twice = expected.every(({ finished }) => !finished); // nothing ended: its rule gives the best beam twice
        expect(found!.map(({ score }) => score)).toEqual(
          [...(twice ? expected.slice(0, 1) : []), ...expected].map(({ logProbability }) => logProbability),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('whatever the rule', () => {
  const rules = [{ name: 'hugging-face' }, { name: 'codexglue' }] as const;
  const options = { ...limits, maxNewTokens: 12 };

  test.each(rules)('width 1 gives the greedy sequence ($name)', async (rule) => {
    const { decoder, start } = createTableDecoder(table, golden.vocabulary);
    const greedy = await greedySearch(decoder, start(20), 20, options);
    const beams = await beamSearch(decoder, start(20), 20, { ...options, width: 1, rule });
    expect(beams.map(([best]) => best!.tokens)).toEqual(greedy.map(({ tokens }) => tokens));
    expect(greedy.some(({ finished }) => finished)).toBe(true);
  });

  test.each(rules)('a sample gives the same in a batch and by itself ($name)', async (rule) => {
    const { decoder, start } = createTableDecoder(table, golden.vocabulary);
    const batch = await beamSearch(decoder, start(7), 7, { ...options, width: 5, rule });
    for (let sample = 0; sample < 7; sample++) {
      const [alone] = await beamSearch(decoder, start(1, sample), 1, { ...options, width: 5, rule });
      expect(plain(batch[sample]!)).toEqual(plain(alone!));
    }
  });

  test.each(rules)(
    'the first step has a row a sample, later ones at most width, none when all are done ($name)',
    async (rule) => {
      const { decoder, start, calls, released } = createTableDecoder(table, golden.vocabulary);
      await beamSearch(decoder, start(3), 3, { ...options, maxNewTokens: 200, width: 4, rule });
      expect(calls[0]).toBe(3);
      expect(Math.max(...calls)).toBeLessThanOrEqual(12);
      expect(calls.length).toBeLessThan(200);
      expect(calls.at(-1)).toBeLessThan(12);
      expect(released).toEqual([calls.length]);
    },
  );

  test('beams that ended take no row', async () => {
    // Tokens: 0 start, 1 end, 2 and 3. After 2 the end is certain, after 3 it never comes.
    const next = [
      [0, 0, 0.5, 0.5],
      [0, 1, 0, 0],
      [0, 0, 0, 1],
    ].map((row) => row.map(Math.log));
    const fed: number[][] = [];
    const decoder = {
      vocabularySize: 4,
      async step(state: null, _rows: Int32Array, tokens: Int32Array) {
        fed.push([...tokens]);
        return {
          logProbabilities: Float32Array.from([...tokens].flatMap((token) => next[Math.max(0, token - 1)]!)),
          state,
        };
      },
    };
    for (const rule of rules) {
      fed.length = 0;
      await beamSearch(decoder, null, 1, { startToken: 0, endToken: 1, maxNewTokens: 4, width: 2, rule });
      expect(fed).toEqual([[0], [2, 3], [3], [3]]);
    }
  });

  test("CodeXGLUE's beam goes on while no ended beam has been the best of its step", async () => {
    // The end is always the second best: two beams have ended after two steps, three after three.
    const row = [0, 0.3, 0.7, 0].map(Math.log);
    let calls = 0;
    const decoder = {
      vocabularySize: 4,
      async step(state: null, rows: Int32Array) {
        calls++;
        return { logProbabilities: Float32Array.from([...rows].flatMap(() => row)), state };
      },
    };
    const options = { startToken: 0, endToken: 1, maxNewTokens: 5, width: 2, rule: { name: 'codexglue' } } as const;
    const [found] = await beamSearch(decoder, null, 1, options);
    expect(calls).toBe(5);
    expect(found!.map(({ tokens, finished }) => [tokens.join(' '), finished])).toEqual([
      ['', true],
      ['2', true],
    ]);
  });

  test('no samples, no calls', async () => {
    const { decoder, start, calls } = createTableDecoder(table, golden.vocabulary);
    expect(await beamSearch(decoder, start(0), 0, { ...options, width: 3 })).toEqual([]);
    expect(calls).toEqual([]);
  });
});

describe('bad input', () => {
  const { decoder, start } = createTableDecoder(table, golden.vocabulary);
  const codeOf = async (run: Promise<unknown>) =>
    run.then(
      () => 'none',
      (error: unknown) => (RedefError.isInstance(error) ? error.code : error),
    );

  test.each([
    { width: 0 },
    { width: 1.5 },
    { maxNewTokens: 0 },
    { minNewTokens: 13 },
    { endToken: 104 },
    { startToken: -1 },
    { rule: 'codexglue' },
    { rule: { name: 'x' } },
    { rule: { name: 'hugging-face', lengthPenalty: Number.NaN } },
    { rule: { name: 'hugging-face', earlyStopping: 'maybe' } },
  ])('%o is an invalid option', async (wrong) => {
    const options = { ...limits, maxNewTokens: 12, width: 3, ...(wrong as object) };
    expect(await codeOf(beamSearch(decoder, start(1), 1, options))).toBe('invalid-option');
  });

  test('a decoder that gives NaN, or too few numbers, is named', async () => {
    const give = (logProbabilities: Float32Array) =>
      beamSearch({ vocabularySize: 4, step: async () => ({ logProbabilities, state: 0 }) }, 0, 1, {
        startToken: 0,
        endToken: 1,
        maxNewTokens: 3,
        width: 2,
      });
    expect(await codeOf(give(new Float32Array(4).fill(Number.NaN)))).toBe('invalid-decoder');
    expect(await codeOf(give(new Float32Array(3)))).toBe('invalid-decoder');
  });

  test('a stop ends the search and frees its state', async () => {
    const { decoder, start, released } = createTableDecoder(table, golden.vocabulary);
    const controller = new AbortController();
    const run = beamSearch(
      decoder,
      start(1),
      1,
      { ...limits, maxNewTokens: 50, width: 3 },
      {
        signal: controller.signal,
        onEvent: () => controller.abort(),
      },
    );
    expect(await codeOf(run)).toBe('aborted');
    expect(released).toEqual([1]);
  });
});
