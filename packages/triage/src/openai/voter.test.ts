import { RedefError } from '@redef/core';
import { afterEach, expect, test } from 'vitest';
import { makeCandidates, makeChange, revertEvidence } from '../../test/candidates.js';
import { type ChatServer, type ChatServerOptions, startChatServer } from '../../test/chat-server.js';
import { createBudget } from '../budget.js';
import { buildEvidence } from '../evidence.js';
import { triage } from '../triage.js';
import type { TriageEvent } from '../voter.js';
import { parseDuration, waitAskedFor } from './rate-limits.js';
import { createOpenAIVoter, type OpenAIVoterOptions } from './voter.js';

let server: ChatServer | undefined;
afterEach(() => server?.close());

async function start(options?: ChatServerOptions): Promise<ChatServer> {
  server = await startChatServer(options);
  return server;
}

const voterAt = ({ baseURL }: ChatServer, options: Partial<OpenAIVoterOptions> = {}) =>
  createOpenAIVoter({ model: 'm', baseURL, backOffMs: { first: 2, longest: 10 }, ...options });

const change = makeChange(1);
const evidence = buildEvidence(change, revertEvidence(change));

test('asks with strict structured output and fenced evidence', async () => {
  const chat = await start();
  await voterAt(chat, { temperature: 0.5, seed: 10, maxOutputTokens: 99, body: { top_p: 0.9 } }).vote(evidence, 2);
  const [request] = chat.requests;
  expect(request).toMatchObject({
    model: 'm',
    temperature: 0.5,
    seed: 12,
    max_tokens: 99,
    top_p: 0.9,
    response_format: { type: 'json_schema', json_schema: { strict: true, schema: { additionalProperties: false } } },
  });
  const seal = evidence.digest.slice(0, 16);
  expect(request?.messages[1]?.content).toContain(`<<<revert_message ${seal}>>>\nRevert "Grow`);
});

test('a wait that the server names is waited for: seconds, milliseconds, a date, or a limit that comes back', async () => {
  const second = 'Wed, 21 Oct 2015 07:28:01 GMT';
  for (const headers of [
    { 'retry-after': '0.2' },
    { 'retry-after-ms': '200' },
    { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': second },
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '200ms' },
  ]) {
    const chat = await start({ behave: (_, index) => (index === 0 ? { status: 429, headers } : 'answer') });
    await voterAt(chat).vote(evidence, 0);
    expect(chat.times[1]! - chat.times[0]!).toBeGreaterThanOrEqual(199);
    await chat.close();
  }
});

test('one call told to wait holds back the others, and fewer are made at once', async () => {
  let limited = 0;
  const chat = await start({
    latencyMs: 20,
    behave: (_, index) =>
      index >= 8 && index < 16 && limited++ < 8 ? { status: 429, headers: { 'retry-after': '0.3' } } : 'answer',
  });
  const limits: number[] = [];
  const onEvent = (event: TriageEvent) => void (event.type === 'concurrency' && limits.push(event.limit));
  const run = triage(makeCandidates(12), { voters: [voterAt(chat, { maxConcurrency: 8 })], onEvent });
  for await (const _ of run);
  expect(Math.min(...limits)).toBeLessThanOrEqual(4);
  expect(limits.at(-1)).toBeGreaterThan(Math.min(...limits)); // it grows back
  const after = chat.times.filter((_, index) => index >= 16);
  expect(after[0]! - chat.times[15]!).toBeGreaterThan(250);
});

test('a request that the headers leave no room for waits until there is', async () => {
  const chat = await start({
    headers: (index) => ({
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': index === 0 ? '0' : '50',
      'x-ratelimit-reset-requests': '20s',
    }),
  });
  const voter = voterAt(chat);
  await voter.vote(evidence, 0);
  await voter.vote(evidence, 1);
  const wait = chat.times[1]! - chat.times[0]!;
  expect(wait).toBeGreaterThanOrEqual(199); // a hundredth of the 20 s in which all hundred come back
  expect(wait).toBeLessThan(5000);
});

test('rate-limit headers are read as OpenAI writes them', () => {
  expect(['6m0s', '1.5s', '20ms', '1h2m3s', '7', '', 'soon', '1s x'].map(parseDuration)).toEqual([
    360_000,
    1500,
    20,
    3_723_000,
    7000,
    undefined,
    undefined,
    undefined,
  ]);
  const headers = (remaining: string) =>
    new Headers({
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': remaining,
      'x-ratelimit-reset-tokens': '60s',
    });
  expect(waitAskedFor(headers('5000'), 4000)).toBe(0);
  expect(waitAskedFor(headers('0'), 3000)).toBe(6000);
  expect(waitAskedFor(new Headers(), 3000)).toBe(0);
});

test('an abort ends a hanging call, a wait and a pause at once', async () => {
  for (const fault of ['hang', { status: 429, headers: { 'retry-after': '60' } }] as const) {
    const chat = await start({ behave: () => fault });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const begun = performance.now();
    const votes = [0, 1, 2].map((ballot) =>
      voterAt(chat, { maxConcurrency: 1 }).vote(evidence, ballot, { signal: controller.signal }),
    );
    for (const vote of votes) await expect(vote).rejects.toMatchObject({ code: 'aborted' });
    expect(performance.now() - begun).toBeLessThan(5000);
    await chat.close();
  }
});

test('a budget is never passed, whatever is under way, and stops the run cleanly', async () => {
  const price = { input: 100, output: 100 }; // 0.105 dollars a call of the test server
  const budget = createBudget(2);
  const chat = await start({ latencyMs: 2 });
  const voter = voterAt(chat, { budget, price, maxOutputTokens: 60 });
  const rows: unknown[] = [];
  const run = async () => {
    for await (const row of triage(makeCandidates(50), { voters: [voter] })) rows.push(row);
  };
  await expect(run()).rejects.toMatchObject({ code: 'budget-spent' });
  expect(budget.spentUsd).toBeLessThanOrEqual(2);
  expect(budget.spentUsd).toBeCloseTo(0.105 * chat.requests.length, 10);
  expect(rows.length).toBeGreaterThan(0);
});

test('what cannot pass is told apart', async () => {
  const chat = await start({ behave: (request) => JSON.parse(String(request.fault)) });
  const failing = (fault: object) =>
    voterAt(chat, { body: { fault: JSON.stringify(fault) } })
      .vote(evidence, 0)
      .catch((error) => (RedefError.isInstance(error) ? error.code : error));
  expect(await failing({ status: 429, code: 'insufficient_quota' })).toBe('quota-spent');
  expect(await failing({ status: 429, headers: { 'retry-after': '86400' } })).toBe('rate-limited');
  expect(await failing({ status: 404, code: 'model_not_found' })).toBe('model-unknown');
  expect(await failing({ status: 403 })).toBe('key-refused');
  expect(await failing({ status: 400, code: 'invalid_value' })).toBe('request-refused');
  expect(await failing({ status: 413 })).toMatchObject({ category: null });
  expect(await failing({ status: 400, code: 'invalid_prompt' })).toMatchObject({ category: null });
  expect(await failing({ status: 400, code: 'context_length_exceeded' })).toMatchObject({ category: null });
  expect(await failing({ status: 400, message: "This model's maximum context length is 8 tokens" })).toMatchObject({
    category: null,
  });
});

test('a wrong address is told at the first call, and a bad moment of the right one is not taken for it', async () => {
  const page = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
  let calls = 0;
  const site: typeof fetch = async () => {
    calls++;
    return page();
  };
  const voter = createOpenAIVoter({ model: 'm', baseURL: 'http://127.0.0.1:9/', fetch: site });
  await expect(voter.vote(evidence, 0)).rejects.toMatchObject({ code: 'not-an-api' });
  expect(calls).toBe(1);

  const chat = await start();
  const port = new URL(chat.baseURL).port;
  for (const [baseURL, code] of [
    [`https://127.0.0.1:${port}/v1`, 'server-unreachable'],
    [`http://127.0.0.1:${port}`, 'model-unknown'],
  ] as const) {
    await expect(createOpenAIVoter({ model: 'm', baseURL }).vote(evidence, 0)).rejects.toMatchObject({ code });
  }
  const failing: typeof fetch = (...call) => (calls++ === 2 ? Promise.resolve(page()) : fetch(...call));
  const patient = voterAt(chat, { fetch: failing });
  for (const ballot of [0, 1, 2]) expect(await patient.vote(evidence, ballot)).toMatchObject({ ballot });
  await chat.close();
  await expect(voterAt(chat).vote(evidence, 0)).rejects.toMatchObject({
    code: 'server-unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a key is needed for OpenAI and a URL holds no password', () => {
  const refused = (options: Partial<OpenAIVoterOptions>) => {
    try {
      return createOpenAIVoter({ model: 'm', ...options }).id;
    } catch (error) {
      return RedefError.isInstance(error) ? error.code : error;
    }
  };
  expect(refused({})).toBe('missing-key');
  expect(refused({ apiKey: 'k' })).toBe('openai:m');
  expect(refused({ baseURL: 'http://localhost:8080/v1' })).toBe('localhost:8080:m');
  expect(refused({ baseURL: 'http://u:p@localhost/v1' })).toBe('invalid-option');
  expect(refused({ baseURL: 'localhost' })).toBe('invalid-option');
  expect(refused({ apiKey: 'k', budget: createBudget(1) })).toBe('missing-price');
});

test('a server without structured output may fence its answer', async () => {
  const chat = await start();
  const fenced: typeof fetch = async (...call) => {
    const response = await fetch(...call);
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    body.choices[0]!.message.content = `\`\`\`json\n${body.choices[0]!.message.content}\n\`\`\``;
    return Response.json(body);
  };
  const text = await voterAt(chat, { output: 'text', fetch: fenced }).vote(evidence, 0);
  expect(text.category).not.toBeNull();
  expect(chat.requests[0]?.response_format).toBeUndefined();
});

test('a server that is not what it claims to be neither crashes the run nor makes up a vote', async () => {
  const bodies: unknown[] = [
    null,
    [],
    'hello',
    {},
    { choices: [] },
    { choices: [null] },
    { choices: [{ message: { content: [{ text: 'A' }] } }] },
    { choices: [{ message: { content: 7, refusal: {} } }] },
  ];
  for (const body of bodies) {
    const odd: typeof fetch = async () => Response.json(body);
    const voter = createOpenAIVoter({
      model: 'm',
      apiKey: 'k',
      fetch: odd,
      maxRetries: 1,
      backOffMs: { first: 1, longest: 1 },
    });
    const code = typeof body === 'string' ? 'not-an-api' : 'server-unavailable';
    await expect(voter.vote(evidence, 0)).rejects.toMatchObject({ code });
  }
  const content = JSON.stringify({ category: 'A', rationale: 'x', quotes: [] });
  const odd: typeof fetch = async () =>
    Response.json({ choices: [{ message: { content } }], usage: { prompt_tokens: -1, completion_tokens: 'many' } });
  expect(await createOpenAIVoter({ model: 'm', apiKey: 'k', fetch: odd }).vote(evidence, 0)).toMatchObject({
    category: 'A',
    input_tokens: 0,
    output_tokens: 0,
  });
});

test('a server that repeats the key gets it into no vote and no error', async () => {
  const apiKey = 'sk-secret-1234567890';
  const says =
    (message: object): typeof fetch =>
    async () =>
      Response.json({ choices: [{ finish_reason: 'stop', message }] });
  const answering = (answer: object) => says({ content: JSON.stringify(answer) });
  const good = { category: 'A', rationale: 'x', quotes: [] };
  const servers: (typeof fetch)[] = [
    answering({ ...good, rationale: `You sent ${apiKey}.`, quotes: [apiKey] }),
    answering({ ...good, category: apiKey }),
    answering({ ...good, [apiKey]: 1 }),
    says({ refusal: `Not with ${apiKey}` }),
    async () => Response.json({ error: { message: apiKey, code: apiKey, type: apiKey } }, { status: 400 }),
    async () => Response.json({ error: { message: `${apiKey}`.padStart(310, 'x') } }, { status: 401 }),
  ];
  for (const [index, fetch] of servers.entries()) {
    // a key from a file ends in a newline: sent and hidden without it
    const voter = createOpenAIVoter({ model: 'm', apiKey: `${apiKey}\n`, fetch, maxRetries: 0 });
    const outcome = await voter.vote(evidence, 0).catch((e) => [e.message, e.remedy, e.stack, String(e.cause)]);
    expect(JSON.stringify(outcome), String(index)).not.toMatch(/secret/);
    expect(JSON.stringify(outcome), String(index)).toContain('[key]');
  }
});

test('a key that cannot be sent is told before any call, and not repeated', () => {
  for (const apiKey of ['sk-secret\nX-Evil: 1', 'sk-secret 2', 'sk-sécret', 'sk-secret\u0000']) {
    const failure = (() => {
      try {
        return createOpenAIVoter({ model: 'm', apiKey });
      } catch (error) {
        return error as RedefError;
      }
    })();
    expect(failure).toMatchObject({ code: 'invalid-key' });
    expect(JSON.stringify([(failure as RedefError).message, (failure as RedefError).stack])).not.toMatch(/s[eé]cret/);
  }
});

test('a key that is a word of the answer changes nothing in it', async () => {
  const chat = await start({
    answer: () => ({ category: 'A', rationale: 'The vector holds k tokens.', quotes: ['category', 'token'] }),
  });
  const free = await voterAt(chat).vote(evidence, 0);
  for (const apiKey of ['k', 'token', 'vector', 'category', 'A', '"', '{"category":"A"']) {
    expect(await voterAt(chat, { apiKey }).vote(evidence, 0), apiKey).toEqual(free);
  }
});

test('an answer that comes as a list of parts is read from those of text', async () => {
  const parts = (content: unknown): typeof fetch => {
    return async () => Response.json({ choices: [{ finish_reason: 'stop', message: { content } }] });
  };
  const voting = (content: unknown) =>
    createOpenAIVoter({ model: 'm', apiKey: 'k', fetch: parts(content), maxRetries: 0 }).vote(evidence, 0);
  expect(
    await voting([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Is it C?' }] },
      { type: 'text', text: '{"category":"A","rationale":"x",' },
      { type: 'text', text: '"quotes":[]}' },
    ]),
  ).toMatchObject({ category: 'A', rationale: 'x' });
  for (const content of [[], [{ type: 'image_url', image_url: {} }], [{ type: 'text' }]]) {
    expect(await voting(content)).toMatchObject({ category: null, rationale: expect.stringContaining('not JSON') });
  }
});
