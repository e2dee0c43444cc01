import { createRng, RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import golden from '../../test/fixtures/decoding.json' with { type: 'json' };
import { createTableDecoder } from '../../test/table-decoder.js';
import { greedySearch } from './greedy-search.js';
import { nucleus, nucleusSampling } from './nucleus-sampling.js';

const table = new Float32Array(Uint8Array.from(Buffer.from(golden.table, 'base64')).buffer);
const { vocabulary } = golden;
const limits = { startToken: golden.start, endToken: golden.end, maxNewTokens: 12 };

test.each(golden.nuclei)(
  'keeps the tokens and probabilities PyTorch keeps at top-p $topP, temperature $temperature',
  (expected) => {
    const row = table.subarray(expected.row * vocabulary, (expected.row + 1) * vocabulary);
    const found = nucleus(row, expected.topP, expected.temperature);
    expect([...found.tokens]).toEqual(expected.tokens);
    found.probabilities.forEach((probability, i) => {
      expect(Math.abs(probability - expected.probabilities[i]!)).toBeLessThan(1e-12);
    });
  },
);

test('draws come as often as the model says', async () => {
  const { decoder, start, after } = createTableDecoder(table, vocabulary);
  const draws = 20_000;
  const [found] = await nucleusSampling(
    decoder,
    start(1),
    1,
    { ...limits, maxNewTokens: 1, topP: 0.6, draws },
    createRng(1),
  );
  const { tokens, probabilities } = nucleus(after(0, [golden.start]), 0.6, 1);
  const counts = new Map<number, number>();
  for (const { tokens, finished } of found!) {
    const token = finished ? golden.end : tokens[0]!;
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  expect([...counts.keys()].every((token) => tokens.includes(token))).toBe(true);
  tokens.forEach((token, i) => {
    const p = probabilities[i]!;
    expect(Math.abs((counts.get(token) ?? 0) / draws - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / draws));
  });
});

test('the same seed gives the same, draw by draw, whatever else is drawn', async () => {
  const { decoder, start } = createTableDecoder(table, vocabulary);
  const many = await nucleusSampling(decoder, start(3), 3, { ...limits, draws: 6 }, createRng('a'));
  const few = await nucleusSampling(decoder, start(2), 2, { ...limits, draws: 2 }, createRng('a'));
  expect(few).toEqual(many.slice(0, 2).map((sample) => sample.slice(0, 2)));
  expect(await nucleusSampling(decoder, start(2), 2, { ...limits, draws: 2 }, createRng('b'))).not.toEqual(few);
});

test('a nucleus of one token is the greedy search', async () => {
  const { decoder, start } = createTableDecoder(table, vocabulary);
  const sampled = await nucleusSampling(decoder, start(8), 8, { ...limits, topP: 1e-9, draws: 2 }, createRng(1));
  const greedy = await greedySearch(decoder, start(8), 8, limits);
  expect(sampled).toEqual(greedy.map((path) => [path, path]));
});

test.each([{ topP: 0 }, { topP: 1.1 }, { temperature: 0 }, { temperature: Number.NaN }, { draws: 0 }])(
  '%o is an invalid option',
  async (wrong) => {
    const { decoder, start } = createTableDecoder(table, vocabulary);
    const error = await nucleusSampling(decoder, start(1), 1, { ...limits, ...wrong }, createRng(1)).catch(
      (e: unknown) => e,
    );
    expect(RedefError.isInstance(error) && error.code).toBe('invalid-option');
  },
);

test('a row without any probability is named', () => {
  expect(() => nucleus(new Float32Array(3).fill(Number.NaN), 0.9, 1)).toThrow('no token a log-probability');
  expect(() => nucleus(new Float32Array(3).fill(-Infinity), 0.9, 1)).toThrow('no token a log-probability');
});
