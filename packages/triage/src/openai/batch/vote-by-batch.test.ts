import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Vote } from '@redef/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BatchServer, type BatchServerOptions, startBatchServer } from '../../../test/batch-server.js';
import { makeCandidates } from '../../../test/candidates.js';
import { startChatServer } from '../../../test/chat-server.js';
import { createBudget } from '../../budget.js';
import { createMemoryCache } from '../../cache.js';
import { type TriageRow, triage } from '../../triage.js';
import { createOpenAIVoter, type OpenAIVoterOptions } from '../voter.js';
import { type BatchOptions, voteByBatch } from './vote-by-batch.js';

const count = 20;
let folder: string;
let server: BatchServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-batch-'));
});
afterEach(async () => {
  await server?.close();
  await rm(folder, { recursive: true });
});

const voter = (extra: Partial<OpenAIVoterOptions> = {}): OpenAIVoterOptions => ({
  model: 'm',
  provider: 'local',
  seed: 1,
  backOffMs: { first: 1, longest: 4 },
  baseURL: server.baseURL,
  ...extra,
});

async function start(options?: BatchServerOptions) {
  server = await startBatchServer(options);
}

function vote(options: Partial<BatchOptions> = {}) {
  const cache = options.cache ?? createMemoryCache();
  return voteByBatch(() => makeCandidates(count), { voters: [voter()], cache, folder, pollMs: 2, ...options });
}

async function rowsFrom(cache: BatchOptions['cache'], voters = [voter()]): Promise<TriageRow[]> {
  const rows: TriageRow[] = [];
  const nobody = voters.map((options) =>
    createOpenAIVoter({ ...options, fetch: () => Promise.reject(new Error('a call was made')), maxRetries: 0 }),
  );
  for await (const row of triage(makeCandidates(count), { voters: nobody, cache })) rows.push(row);
  return rows;
}

/** The same votes cast one call at a time. */
async function calm(): Promise<TriageRow[]> {
  const chat = await startChatServer();
  const rows: TriageRow[] = [];
  const single = createOpenAIVoter(voter({ baseURL: chat.baseURL }));
  for await (const row of triage(makeCandidates(count), { voters: [single] })) rows.push(row);
  await chat.close();
  return rows;
}

test('a batch gives the votes that single calls give, and triage then makes none', async () => {
  await start();
  const cache = createMemoryCache();
  const report = await vote({ cache });
  expect(report).toMatchObject({ batches: 1, votes: 60, unanswered: 0, input_tokens: 60_000 });
  expect(await rowsFrom(cache)).toEqual(await calm());
});

test('a batch that expires half-done keeps its half and the rest is sent again', async () => {
  await start({
    fate: (index) =>
      index === 0
        ? { status: 'expired', line: (line) => (line % 2 === 0 ? 'answer' : 'expired') }
        : { line: (line) => (index === 1 && line % 5 === 0 ? 'server-error' : 'answer') },
  });
  const cache = createMemoryCache();
  const report = await vote({ cache });
  expect(report.votes).toBe(60);
  expect(await rowsFrom(cache)).toEqual(await calm());
  const answered = server.batches[0]!.lines.filter((_, line) => line % 2 === 0).map(({ custom_id }) => custom_id);
  const later = new Set(server.batches.slice(1).flatMap(({ lines }) => lines.map(({ custom_id }) => custom_id)));
  expect(answered.some((id) => later.has(id))).toBe(false);
});

test('large runs are cut into batches of the allowed size', async () => {
  await start({ pageSize: 2 });
  const cache = createMemoryCache();
  expect(await vote({ cache, maxRequests: 7 })).toMatchObject({ batches: 9, votes: 60 });
  expect(server.batches.map(({ lines }) => lines.length).sort()).toEqual([4, 7, 7, 7, 7, 7, 7, 7, 7]);
});

test.each(['upload', 'start', 'poll', 'download'])('a lost answer to %s makes no second batch', async (kind) => {
  await start({ loses: (what, index) => what === kind && index === 0 });
  const cache = createMemoryCache();
  await vote({ cache });
  expect(server.uploads).toBe(1);
  expect(server.batches).toHaveLength(1);
  expect(await rowsFrom(cache)).toEqual(await calm());
});

test('stopped at any event, it goes on with the batch that is under way', async () => {
  await start({ polls: 4 });
  const cache = createMemoryCache();
  for (let stop = 1; stop <= 4; stop++) {
    const controller = new AbortController();
    let events = 0;
    const run = vote({
      cache,
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'batch' && ++events === 1) controller.abort();
      },
    });
    await run.catch((error) => expect(error).toMatchObject({ code: 'aborted' }));
  }
  await vote({ cache });
  expect(server.uploads).toBe(1);
  expect(server.batches).toHaveLength(1);
  expect(await rowsFrom(cache)).toEqual(await calm());
});

test('refusals and texts too long are abstentions, answers outside the schema are asked again', async () => {
  await start({
    fate: (batch) => ({
      foreign: true,
      line: (line) =>
        batch > 0
          ? 'outside-schema'
          : line === 0
            ? 'refusal'
            : line === 1
              ? 'too-long'
              : line === 2
                ? 'outside-schema'
                : 'answer',
    }),
  });
  const cache = createMemoryCache();
  const report = await vote({ cache });
  expect(report).toMatchObject({ votes: 57, abstained: 2, malformed: 3, foreign: 3 });
  const votes = (await rowsFrom(cache)).flatMap((row): Vote[] => row.votes);
  expect(votes.filter(({ category }) => category === null).map(({ rationale }) => rationale)).toEqual([
    'The model refused: No.',
    'The evidence is longer than the model can read.',
    expect.stringMatching(/^No answer within the schema in 3 tries: /),
  ]);
});

test('a line of the results that cannot be read costs its own vote one more call and nothing else', async () => {
  await start({
    fate: (batch) => ({
      line: (line) => (batch > 0 ? 'answer' : line === 3 ? 'cut' : line === 5 ? 'no-text' : 'answer'),
    }),
  });
  const cache = createMemoryCache();
  expect(await vote({ cache })).toMatchObject({ votes: 60, foreign: 1, unanswered: 1 });
  expect(server.batches.map(({ lines }) => lines.length)).toEqual([60, 1]);
  const rows = await rowsFrom(cache);
  const damaged = rows.flatMap(({ votes }) => votes).filter(({ rationale }) => rationale.startsWith('\ufffd'));
  expect(damaged).toHaveLength(1); // its category is whole
  const decided = (all: TriageRow[]) => all.map(({ label, reject }) => [label, reject]);
  expect(decided(rows)).toEqual(decided(await calm()));
});

test('what made a batch fail or its requests be refused can be put right: the next run asks anew', async () => {
  for (const fate of [
    { status: 'failed', error: { code: 'model_not_found', message: 'No such model' } },
    { line: (line: number) => (line < 10 ? 'refused' : 'answer') },
  ] as const) {
    await start({ fate: (index) => (index === 0 ? fate : {}) });
    const cache = createMemoryCache();
    const code = 'status' in fate ? 'batch-refused' : 'request-refused';
    const options = { cache, folder: join(folder, code) };
    await expect(vote(options)).rejects.toMatchObject({ code });
    expect(await vote(options)).toMatchObject({ votes: 'status' in fate ? 60 : 10 });
    expect(await rowsFrom(cache)).toEqual(await calm());
    if ('status' in fate) await server.close();
  }
});

test('a batch that the server has forgotten is named with what to remove', async () => {
  await start({ polls: 1000 });
  const controller = new AbortController();
  const onEvent = () => controller.abort();
  await expect(vote({ signal: controller.signal, onEvent })).rejects.toMatchObject({ code: 'aborted' });
  await server.close();
  await start();
  const error = await vote().catch((failure) => failure);
  expect(error).toMatchObject({ code: 'batch-gone', remedy: expect.stringContaining(folder) });
  await rm(/Remove (.*):/.exec(error.remedy)![1]!, { recursive: true });
  expect(await vote()).toMatchObject({ votes: 60 });
});

test('a site in place of the API is a stop at once', async () => {
  await start();
  const page: typeof fetch = async () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } });
  await expect(vote({ voters: [voter({ fetch: page })] })).rejects.toMatchObject({ code: 'not-an-api' });
});

test('a page in answer to the first of any call is a stop at once; a later one is a bad moment', async () => {
  const html = () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } });
  for (const [path, first] of [
    ['/batches/batch_0', 0],
    ['/content', 0],
    ['/batches/batch_0', 1],
  ] as const) {
    await start();
    let seen = 0;
    const paging: typeof fetch = async (...call) =>
      String(call[0]).endsWith(path) && seen++ === first ? html() : fetch(...call);
    const run = vote({ voters: [voter({ fetch: paging })], folder: join(folder, `${path.length}-${first}`) });
    if (first > 0) expect(await run).toMatchObject({ votes: 60 });
    else await expect(run).rejects.toMatchObject({ code: 'not-an-api' });
    expect(seen).toBe(first > 0 ? 3 : 1);
    await server.close();
  }
});

test('a key that is a word of the results changes nothing in them, and a real one is found in words alone', async () => {
  await start();
  const undisturbed = await calm();
  for (const apiKey of ['category', 'custom_id', 'k', 'Digest', '"']) {
    const cache = createMemoryCache();
    await vote({ cache, voters: [voter({ apiKey })], folder: join(folder, `key-${apiKey.length}`) });
    expect(await rowsFrom(cache), apiKey).toEqual(undisturbed);
  }
  const apiKey = 'sk-secret-0123456789';
  const echoing: typeof fetch = async (...call) => {
    const answer = await fetch(...call);
    return String(call[0]).endsWith('/content')
      ? new Response((await answer.text()).replaceAll('Digest', `größer \\u00e9 ${apiKey}`))
      : answer;
  };
  const cache = createMemoryCache();
  expect(await vote({ cache, voters: [voter({ apiKey, fetch: echoing })] })).toMatchObject({ votes: 60, foreign: 0 });
  const rationales = (await rowsFrom(cache)).flatMap(({ votes }) => votes.map(({ rationale }) => rationale));
  expect(rationales.every((text) => text.startsWith('größer é [key] '))).toBe(true);
  const kept = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of kept.filter((entry) => entry.isFile())) {
    expect(await readFile(join(parentPath, name), 'utf8')).not.toContain(apiKey);
  }
});

test('a full queue is waited for, a refused batch and a cancelled one are a clear stop', async () => {
  await start({
    fate: (index) => (index < 2 ? { status: 'failed', error: { code: 'token_limit_exceeded', message: 'Full' } } : {}),
  });
  await vote();
  expect(server.batches).toHaveLength(3);
  expect(server.uploads).toBe(1);
  await server.close();
  await rm(folder, { recursive: true });

  await start({ fate: () => ({ status: 'failed', error: { code: 'model_not_found', message: 'No such model' } }) });
  await expect(vote()).rejects.toMatchObject({
    code: 'batch-refused',
    message: expect.stringContaining('No such model'),
  });
  await server.close();
  await rm(folder, { recursive: true });

  await start({
    fate: (index) => (index === 0 ? { status: 'cancelled', line: (line) => (line < 5 ? 'answer' : 'expired') } : {}),
  });
  const cache = createMemoryCache();
  await expect(vote({ cache })).rejects.toMatchObject({ code: 'batch-cancelled' });
  expect(await vote({ cache })).toMatchObject({ votes: 55 });
  expect(await rowsFrom(cache)).toEqual(await calm());
});

test('a mixed panel has a batch for each model', async () => {
  await start();
  const voters = ['a', 'b', 'c'].map((model) => voter({ model }));
  const cache = createMemoryCache();
  await vote({ cache, voters });
  const models = server.batches.map(({ lines }) => [...new Set(lines.map(({ body }) => body.model))].join());
  expect(models.sort()).toEqual(['a', 'b', 'c']);
  const rows = await rowsFrom(cache, voters);
  expect(rows[0]?.votes.map((one) => one.voter)).toEqual(['local:a', 'local:b', 'local:c']);
});

test('a budget that a batch could pass stops before the upload', async () => {
  await start();
  const budget = createBudget(0.01);
  const voters = [voter({ budget, price: { input: 2.5, output: 10 } })];
  await expect(vote({ voters })).rejects.toMatchObject({ code: 'budget-spent' });
  expect(server.uploads).toBe(0);
  const more = createBudget(10);
  await vote({ voters: [voter({ budget: more, price: { input: 2.5, output: 10 } })] });
  expect(more.spentUsd).toBeCloseTo(0.5 * ((60_000 * 2.5 + 3_000 * 10) / 1e6), 10);
});
