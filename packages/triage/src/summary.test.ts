import type { Category, Vote } from '@redef/core';
import { describe, expect, test } from 'vitest';
import { cleanEvidence, makeCandidates, makeChange, revertEvidence } from '../test/candidates.js';
import { createMemoryCache } from './cache.js';
import { decide } from './decide.js';
import { estimateTriage } from './estimate.js';
import { buildEvidence } from './evidence.js';
import { createOpenAIVoter } from './openai/voter.js';
import { defaultPrices, parsePrices } from './prices.js';
import { createRuleVoter } from './rule-voter.js';
import { renderTable1, SummaryTally } from './summary.js';
import { triage } from './triage.js';
import { voteHeader } from './voter.js';

const change = makeChange(1);
const bundles = {
  defective: buildEvidence(change, revertEvidence(change)),
  clean: buildEvidence(change, cleanEvidence(change)),
};

function tally(rows: [kind: keyof typeof bundles, spelled: string, times: number][], panel = ['m', 'm', 'm']) {
  const total = new SummaryTally('unanimous-ab', 3);
  for (const [kind, spelled, times] of rows) {
    const evidence = bundles[kind];
    const votes = [...spelled].map(
      (letter, ballot): Vote => ({
        ...voteHeader({ id: panel[ballot]!, ruleBased: false }, evidence, ballot),
        category: letter === '-' ? null : (letter as Category),
        rationale: '',
        quotes: letter === 'A' ? ['crashes when'] : ['invented words'],
      }),
    );
    const row = { id: evidence.id, votes, ...decide(evidence.rubric, votes) };
    for (let time = 0; time < times; time++) total.add(evidence, row);
  }
  return total.summary();
}

test("the paper's Table 1, with the 99 that it leaves unnamed in a row of their own", () => {
  const summary = tally([
    ['defective', 'AAA', 1270],
    ['defective', 'BBB', 1795],
    ['defective', 'ABB', 60],
    ['defective', 'AAB', 39],
    ['defective', 'AAC', 1000],
    ['defective', 'CCC', 2093],
    ['clean', 'AAA', 6524],
    ['clean', 'BBB', 3744],
    ['clean', 'BBC', 1539],
  ]);
  expect(renderTable1(summary)).toBe(
    [
      '| category | before filtering | after filtering |',
      '| --- | ---: | ---: |',
      '| defective total | 6257 | 3164 |',
      '| defective->defective | - | 1270 |',
      '| clean->defective | - | 1795 |',
      '| defective, ballots split between the two | - | 99 |',
      '| clean total | 11807 | 10268 |',
      '| defective->clean | - | 6524 |',
      '| clean->clean | - | 3744 |',
      '| clean, ballots split between the two | - | 0 |',
      '',
    ].join('\n'),
  );
  expect(summary.defective.split).toEqual({ 'clean->defective': 60, 'defective->defective': 39 });
  expect(summary.defective.rejected).toEqual({ 'voted-other': 3093 });
  expect(summary.defective.agreement).toMatchObject({ items: 6257, unanimous: 5158, left_out: 0 });
  expect(summary.defective.agreement.unanimity_rate).toBeCloseTo(5158 / 6257, 12);
});

test('an abstention is left out of the agreement and counted', () => {
  const { defective, voters } = tally([
    ['defective', 'AA-', 2],
    ['defective', 'AAA', 3],
  ]);
  expect(defective.agreement).toMatchObject({ items: 3, left_out: 2, unanimous: 3, fleiss_kappa: null });
  expect(defective.rejected).toEqual({ abstained: 2 });
  expect(voters).toMatchObject([
    { votes: 15, abstained: 2, categories: { A: 13 }, with_majority: { votes: 13, of: 15 } },
  ]);
});

test('a mixed panel shows how each model votes and agrees', () => {
  const { voters, pairs } = tally(
    [
      ['defective', 'AAB', 10],
      ['defective', 'BBB', 10],
    ],
    ['x', 'y', 'z'],
  );
  expect(voters.map(({ voter, with_majority }) => [voter, with_majority.votes])).toEqual([
    ['x', 20],
    ['y', 20],
    ['z', 10],
  ]);
  expect(pairs.map(({ voters, pairs, agree, cohen_kappa }) => [voters.join(), pairs, agree, cohen_kappa])).toEqual([
    ['x,y', 20, 20, 1],
    ['x,z', 20, 10, 0],
    ['y,z', 20, 10, 0],
  ]);
  expect(voters[0]?.votes_with_unsupported_quotes).toBe(10);
});

describe('the estimate', () => {
  const voter = createOpenAIVoter({
    model: 'gpt-4o-2024-08-06',
    apiKey: 'none',
    fetch: () => Promise.reject(new Error('a call')),
  });

  test('counts calls, tokens and cost without a call, and leaves out what the cache holds', async () => {
    const cache = createMemoryCache();
    const counted: string[] = [];
    const estimate = await estimateTriage(makeCandidates(10), {
      voters: [voter],
      cache,
      prices: defaultPrices,
      countTokens: (text) => {
        counted.push(text);
        return 100;
      },
    });
    // each prompt is 100 (rubric) + 100 (evidence) + 100 (form of the answer) + 12
    expect(estimate).toMatchObject({
      candidates: 10,
      calls: 30,
      cached: 0,
      input_tokens: 30 * 312,
      output_tokens: 3600,
    });
    expect(estimate.cost_usd).toBeCloseTo((30 * 312 * 2.5 + 3600 * 10) / 1e6, 12);
    expect(counted).toHaveLength(1 + 2 + 10); // each text once, not once a ballot
    const batch = await estimateTriage(makeCandidates(10), {
      voters: [voter],
      prices: defaultPrices,
      batch: true,
      countTokens: () => 100,
    });
    expect(batch.cost_usd).toBeCloseTo(estimate.cost_usd! / 2, 12);

    const rules = createRuleVoter();
    for await (const _ of triage(makeCandidates(4), { voters: [rules], cache }));
    expect(await estimateTriage(makeCandidates(10), { voters: [rules], cache, prices: defaultPrices })).toMatchObject({
      calls: 18,
      cached: 12,
      cost_usd: 0,
    });
  });

  test('counts the tokens of a real text and bears any text', async () => {
    const hostile = makeChange(1, { message: `<|endoftext|>${'x'.repeat(11_000)}` });
    const estimate = await estimateTriage([{ change: hostile, evidence: revertEvidence(hostile) }], {
      voters: [voter],
      ballots: 1,
      prices: defaultPrices,
    });
    expect(estimate.input_tokens).toBeGreaterThan(1000);
    expect(estimate.input_tokens).toBeLessThan(6000);
  });

  test('of a model without a price has no cost', async () => {
    const local = createOpenAIVoter({ model: 'llama', baseURL: 'http://127.0.0.1:1/v1' });
    const options = { voters: [local], countTokens: () => 1 };
    expect((await estimateTriage(makeCandidates(1), { ...options, prices: defaultPrices })).cost_usd).toBeNull();
    const free = { ...defaultPrices, models: { llama: { input: 0, output: 0 } } };
    expect((await estimateTriage(makeCandidates(1), { ...options, prices: free })).cost_usd).toBe(0);
  });

  test('takes another price table and refuses a broken one', () => {
    expect(parsePrices(structuredClone(defaultPrices), 'p.json')).toEqual(defaultPrices);
    expect(() => parsePrices({ ...defaultPrices, models: { m: { input: -1, output: 0 } } }, 'p.json')).toThrow(
      /p\.json: models\.m\.input/,
    );
  });
});
