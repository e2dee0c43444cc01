import { RedefError } from '@redef/core';
import { afterEach, expect, test } from 'vitest';
import { makeCandidates } from '../test/candidates.js';
import { type ChatServer, type ChatServerOptions, digestAnswer, startChatServer } from '../test/chat-server.js';
import { createMemoryCache } from './cache.js';
import { createOpenAIVoter, type OpenAIVoterOptions } from './openai/voter.js';
import { createRuleVoter } from './rule-voter.js';
import type { TriageSummary } from './summary.js';
import { type Candidate, type TriageOptions, type TriageRow, triage } from './triage.js';
import type { Voter } from './voter.js';

let server: ChatServer | undefined;
afterEach(() => server?.close());

async function start(options?: ChatServerOptions): Promise<ChatServer> {
  server = await startChatServer(options);
  return server;
}

const quick = { backOffMs: { first: 2, longest: 10 }, provider: 'local' };
const voterAt = ({ baseURL }: ChatServer, options: Partial<OpenAIVoterOptions> = {}) =>
  createOpenAIVoter({ model: 'test-model', baseURL, ...quick, ...options });

async function run(candidates: Iterable<Candidate>, options: TriageOptions) {
  const rows: TriageRow[] = [];
  const generator = triage(candidates, options);
  for (;;) {
    const { value, done } = await generator.next();
    if (done) return { rows, summary: value as TriageSummary };
    rows.push(value as TriageRow);
  }
}

test('three ballots of a model decide every candidate, in the order of the input', async () => {
  const chat = await start();
  const candidates = [...makeCandidates(40)];
  const { rows, summary } = await run(candidates, { voters: [voterAt(chat, { seed: 7 })] });

  expect(rows.map(({ id }) => id)).toEqual(candidates.map(({ change }) => change.id));
  expect(chat.requests).toHaveLength(120);
  expect(new Set(chat.requests.map(({ seed }) => seed))).toEqual(new Set([7, 8, 9]));
  for (const { votes, label, reject } of rows) {
    const allAb = votes.every(({ category }) => category === 'A' || category === 'B');
    expect(label !== undefined).toBe(allAb);
    expect(reject !== undefined).toBe(!allAb);
    expect(votes.every((vote) => vote.voter === 'local:test-model' && !vote.rule_based)).toBe(true);
  }
  const kept = rows.filter(({ label }) => label?.label === 'defective').length;
  expect(summary.defective).toMatchObject({ before: 27, after: kept });
  expect(summary.voters).toMatchObject([{ votes: 120, input_tokens: 120_000, output_tokens: 6_000 }]);
});

test('the answer is taken as the model gave it', async () => {
  const chat = await start();
  const { rows } = await run([...makeCandidates(3)], { voters: [voterAt(chat)], ballots: 1 });
  const given = new Set(chat.requests.map((request) => JSON.stringify(digestAnswer(request))));
  for (const { category, rationale, quotes } of rows.flatMap(({ votes }) => votes)) {
    expect(given).toContain(JSON.stringify({ category, rationale, quotes }));
  }
});

test('a rerun with the same cache makes no call and gives the same rows', async () => {
  const chat = await start();
  const cache = createMemoryCache();
  const candidates = [...makeCandidates(10)];
  const first = await run(candidates, { voters: [voterAt(chat)], cache });
  const again = await run(candidates, { voters: [voterAt(chat)], cache });
  expect(chat.requests).toHaveLength(30);
  expect(again).toEqual(first);
});

test('rules vote offline and every vote and label says so', async () => {
  const { rows, summary } = await run([...makeCandidates(6)], { voters: [createRuleVoter()] });
  expect(rows.flatMap(({ votes }) => votes).every(({ rule_based, voter }) => rule_based && voter === 'rules/1')).toBe(
    true,
  );
  expect(rows.map(({ label }) => label)).toMatchObject(
    ['defective', 'defective', 'clean', 'defective', 'defective', 'clean'].map((label) => ({
      label,
      rule_based: true,
      decided_by: 'unanimous-ab/3 by rules/1',
    })),
  );
  expect(summary.rule_based).toBe(true);
});

test.each([
  'hang',
  'hang-in-body',
  'cut',
  'drop',
  'not-json',
  'no-choices',
  { status: 500 },
  { status: 503 },
  { status: 429 },
] as const)('a passing fault is tried again until the right label is there: %j', async (fault) => {
  const candidates = [...makeCandidates(4)];
  const calm = await start();
  const undisturbed = await run(candidates, { voters: [voterAt(calm, { seed: 1 })] });
  await calm.close();

  const chat = await start({ behave: (_, index) => (index % 3 === 0 ? fault : 'answer') });
  expect(await run(candidates, { voters: [voterAt(chat, { seed: 1, timeoutMs: 500 })] })).toEqual(undisturbed);
});

test.each(['answer-not-json', 'answer-outside-schema', 'answer-too-long'] as const)(
  'a model that never answers in form abstains: %s',
  async (fault) => {
    const chat = await start({ behave: () => fault });
    const { rows, summary } = await run([...makeCandidates(2)], { voters: [voterAt(chat)], ballots: 1 });
    expect(rows.map(({ reject }) => reject?.reason)).toEqual(['abstained', 'abstained']);
    expect(chat.requests).toHaveLength(6);
    expect(summary.voters).toMatchObject([{ abstained: 2, categories: { A: 0, B: 0, C: 0 }, input_tokens: 6000 }]);
  },
);

test.each(['refusal', 'content-filter'] as const)('%s is an abstention and not asked again', async (fault) => {
  const chat = await start({ behave: () => fault });
  const { rows } = await run([...makeCandidates(1)], { voters: [voterAt(chat)] });
  expect(rows[0]?.votes.map(({ category }) => category)).toEqual([null, null, null]);
  expect(chat.requests).toHaveLength(3);
});

test('a wrong key stops the run at once and stands in no error', async () => {
  const chat = await start({ key: 'sk-right-0000000000' });
  const secret = 'sk-wrong-1234567890abcdef';
  const failure = await run([...makeCandidates(50)], { voters: [voterAt(chat, { apiKey: secret })] }).catch((e) => e);
  expect(RedefError.isInstance(failure) && failure.code).toBe('key-refused');
  expect(JSON.stringify([failure.message, failure.remedy, failure.stack, failure.cause ?? null])).not.toContain(secret);
  expect(chat.requests).toHaveLength(0);
});

test('a server that stays away ends the run with what to do', async () => {
  const chat = await start({ behave: () => ({ status: 500 }) });
  const failure = await run([...makeCandidates(1)], { voters: [voterAt(chat, { maxRetries: 2 })] }).catch((e) => e);
  expect(failure).toMatchObject({ code: 'server-unavailable' });
});

test('a consumer that leaves ends the calls: those under way are kept, no other is made', async () => {
  const chat = await start({ latencyMs: 5 });
  const cache = createMemoryCache();
  const candidates = [...makeCandidates(100)];
  for await (const _ of triage(candidates, { voters: [voterAt(chat)], cache, concurrency: 4 })) break;
  const made = chat.requests.length;
  expect(made).toBeLessThan(60);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(chat.requests).toHaveLength(made);
  await run(candidates, { voters: [voterAt(chat)], cache });
  expect(chat.requests).toHaveLength(300);
});

test('many calls at once on one signal draw no warning', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  const chat = await start({ latencyMs: 1_000 }); // long enough that all calls are under way together on a busy machine
  const { signal } = new AbortController();
  await run([...makeCandidates(20)], { voters: [voterAt(chat)], concurrency: 40, signal });
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('warning', listen);
  expect(chat.peak).toBeGreaterThan(20);
  expect(warnings).toEqual([]);
});

test('a key that one server refuses ends the waits of the other voters at once, and keeps what they had', async () => {
  const patient = await start({
    behave: (_, index) => (index < 4 ? 'answer' : { status: 429, headers: { 'retry-after': '60' } }),
  });
  const strict = await startChatServer({ key: 'sk-right-0000000000', latencyMs: 300 });
  const voters = [voterAt(patient), voterAt(strict, { apiKey: 'sk-wrong-0000000000', provider: 'strict' })];
  const cache = createMemoryCache();
  const kept: unknown[] = [];
  const counting = {
    get: cache.get,
    set: (...vote: Parameters<typeof cache.set>) => {
      kept.push(vote);
      return cache.set(...vote);
    },
  };
  const begun = performance.now();
  const failure = await run([...makeCandidates(50)], { voters, cache: counting }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'key-refused' });
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(kept).toHaveLength(4);
  await strict.close();
});

test('a call under way when the run is lost is let finish and its vote kept', async () => {
  const slow = await start({ latencyMs: 400 });
  const strict = await startChatServer({ key: 'sk-right-0000000000' });
  const voters = [voterAt(slow), voterAt(strict, { apiKey: 'sk-wrong-0000000000', provider: 'strict' })];
  const cache = createMemoryCache();
  const candidates = [...makeCandidates(1)];
  await expect(run(candidates, { voters, cache, ballots: 2 })).rejects.toMatchObject({ code: 'key-refused' });
  expect(slow.requests).toHaveLength(1);
  await run(candidates, { voters: [voters[0]!], cache, ballots: 1 });
  expect(slow.requests).toHaveLength(1);
  await strict.close();
});

test('a vote that is not the one asked for is refused and not kept', async () => {
  const rules = createRuleVoter();
  for (const [name, value] of Object.entries({
    id: 'a'.repeat(40),
    ballot: 7,
    voter: 'openai:gpt-4o',
    rule_based: false,
    rubric: 'redef-clean/9',
    evidence_digest: 'f'.repeat(64),
  })) {
    const voter: Voter = { ...rules, vote: async (...call) => ({ ...(await rules.vote(...call)), [name]: value }) };
    const kept: unknown[] = [];
    const cache = { get: () => undefined, set: (_: string, vote: unknown) => void kept.push(vote) };
    await expect(run(makeCandidates(1), { voters: [voter], ballots: 1, cache })).rejects.toMatchObject({
      code: 'invalid-vote',
      message: expect.stringMatching(new RegExp(`^a vote of rules/1: ${name} is .+, expected .+`)),
    });
    expect(kept).toEqual([]);
  }
});

test('two candidates of one id are refused with both places', async () => {
  const candidates = [...makeCandidates(3)];
  await expect(run([...candidates, candidates[1]!], { voters: [createRuleVoter()] })).rejects.toMatchObject({
    code: 'duplicate-id',
    message: `candidate 4: the id ${candidates[1]!.change.id} stands at candidate 2 already`,
  });
});
