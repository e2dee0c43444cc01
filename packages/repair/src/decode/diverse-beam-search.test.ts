import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import golden from '../../test/fixtures/decoding.json' with { type: 'json' };
import { createTableDecoder } from '../../test/table-decoder.js';
import { beamSearch } from './beam-search.js';
import { diverseBeamSearch } from './diverse-beam-search.js';

const table = new Float32Array(Uint8Array.from(Buffer.from(golden.table, 'base64')).buffer);
const limits = { startToken: golden.start, endToken: golden.end, maxNewTokens: 12 };

test.each(golden.diverse)('equal to PyTorch: width $width in $groups groups', async ({ results, ...options }) => {
  const { decoder, start, after, calls } = createTableDecoder(table, golden.vocabulary);
  const found = await diverseBeamSearch(decoder, start(golden.samples), golden.samples, { ...limits, ...options });
  expect(
    found.map((hypotheses) => hypotheses.map(({ tokens, score, finished }) => [tokens.join(' '), score, finished])),
  ).toEqual(results.map((each) => each.map(([tokens, , score, finished]) => [tokens, score, finished])));
  for (const [sample, hypotheses] of found.entries()) {
    for (const { tokens, logProbability, finished } of hypotheses) {
      const written = [golden.start, ...tokens, ...(finished ? [golden.end] : [])];
      const own = written.slice(1).map((token, at) => after(sample, written.slice(0, at + 1))[token]!);
      expect(logProbability).toBeCloseTo(
        own.reduce((sum, each) => sum + each, 0),
        4,
      );
    }
  }
  expect(calls[0]).toBe(golden.samples);
});

test('one group without a penalty is the plain beam', async () => {
  const { decoder, start } = createTableDecoder(table, golden.vocabulary);
  const diverse = await diverseBeamSearch(decoder, start(9), 9, {
    ...limits,
    width: 5,
    groups: 1,
    diversityPenalty: 0,
  });
  expect(diverse).toEqual(await beamSearch(decoder, start(9), 9, { ...limits, width: 5 }));
});

test('a high penalty makes the groups begin with different tokens', async () => {
  const { decoder, start } = createTableDecoder(table, golden.vocabulary);
  const [found] = await diverseBeamSearch(decoder, start(1), 1, {
    ...limits,
    minNewTokens: 1,
    width: 4,
    groups: 4,
    diversityPenalty: 100,
  });
  expect(new Set(found!.map(({ tokens }) => tokens[0])).size).toBe(4);
});

test.each([
  { groups: 3, diversityPenalty: 1 },
  { groups: 2, diversityPenalty: -1 },
  { groups: 2, diversityPenalty: Number.NaN },
  { groups: 0, diversityPenalty: 1 },
])('%o is an invalid option for width 4', async (wrong) => {
  const { decoder, start } = createTableDecoder(table, golden.vocabulary);
  const error = await diverseBeamSearch(decoder, start(1), 1, { ...limits, width: 4, ...wrong }).catch(
    (e: unknown) => e,
  );
  expect(RedefError.isInstance(error) && error.code).toBe('invalid-option');
});
