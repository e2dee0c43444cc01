import { createRng } from '@redef/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import golden from '../../test/fixtures/model-decoding.json' with { type: 'json' };
import { createCacheFreeDecoder, smallModel } from '../../test/small-models.js';
import { beamSearch } from '../decode/beam-search.js';
import type { Hypothesis } from '../decode/decoder-step.js';
import { diverseBeamSearch } from '../decode/diverse-beam-search.js';
import { greedySearch } from '../decode/greedy-search.js';
import { nucleusSampling } from '../decode/nucleus-sampling.js';
import { Seq2SeqDecoder } from './seq2seq-decoder.js';

describe.each(['t5', 'roberta'] as const)('%s', (family) => {
  const { config, start: startToken, end: endToken, groups } = golden[family];
  const [{ sources, maxNewTokens }] = groups as [(typeof groups)[number]];
  const model = smallModel(config);
  const limits = { startToken, endToken, maxNewTokens };
  let decoder: Seq2SeqDecoder;
  beforeAll(async () => {
    decoder = await Seq2SeqDecoder.create(model.decoder, model.variables, { threads: 1 });
  });
  afterAll(() => decoder.close());

  const searches = groups.flatMap(({ cases, ...group }) => cases.map((each) => ({ ...group, ...each })));
  test.each(searches)(
    'equal to PyTorch, token for token: $rule, width $width, $minNewTokens to $maxNewTokens tokens',
    async ({ sources, maxNewTokens, minNewTokens, rule, width, results }) => {
      const found = await beamSearch(decoder, await decoder.encode(sources), sources.length, {
        ...limits,
        maxNewTokens,
        minNewTokens,
        width,
        rule: { name: rule as 'hugging-face' | 'codexglue' },
      });
      for (const [sample, expected] of results.entries()) {
        const best = found[sample]!.slice(0, expected.length);
        expect(tokensOf(best)).toEqual(expected.map(([tokens, , done]) => [tokens, done]));
        for (const [rank, { logProbability }] of best.entries()) {
          expect(logProbability).toBeCloseTo(expected[rank]![1] as number, 3);
        }
      }
    },
  );

  test('equal to a loop without a cache, whatever the search', async () => {
    const plain = await createCacheFreeDecoder(model, sources, {
      maxRows: 6 * sources.length,
      maxLength: maxNewTokens,
    });
    const state = () => sources.map((_, sample) => ({ sample, tokens: [] }));
    const count = sources.length;
    const same = async (cached: Promise<Hypothesis[][]>, loop: Promise<Hypothesis[][]>) =>
      expect((await cached).map(tokensOf)).toEqual((await loop).map(tokensOf));

    const beams = { ...limits, width: 6, minNewTokens: 3 };
    await same(
      beamSearch(decoder, await decoder.encode(sources), count, beams),
      beamSearch(plain, state(), count, beams),
    );
    const groups = { ...beams, groups: 3, diversityPenalty: 0.5 };
    await same(
      diverseBeamSearch(decoder, await decoder.encode(sources), count, groups),
      diverseBeamSearch(plain, state(), count, groups),
    );
    const draws = { ...limits, draws: 6 };
    await same(
      nucleusSampling(decoder, await decoder.encode(sources), count, draws, createRng(5)),
      nucleusSampling(plain, state(), count, draws, createRng(5)),
    );
    const greedy = (each: Promise<Hypothesis[]>) => each.then((found) => [found]);
    await same(
      greedy(greedySearch(decoder, await decoder.encode(sources), count, limits)),
      greedy(greedySearch(plain, state(), count, limits)),
    );
  });

  test('a sample gives the same in a batch and by itself', async () => {
    const options = { ...limits, width: 5, rule: { name: 'codexglue' } } as const;
    const batch = await beamSearch(decoder, await decoder.encode(sources), sources.length, options);
    for (const [sample, source] of sources.entries()) {
      const [alone] = await beamSearch(decoder, await decoder.encode([source]), 1, options);
      expect(tokensOf(batch[sample]!)).toEqual(tokensOf(alone!));
    }
  });
});

function tokensOf(hypotheses: readonly Hypothesis[]): [tokens: string, finished: boolean][] {
  return hypotheses.map(({ tokens, finished }) => [tokens.join(' '), finished]);
}
