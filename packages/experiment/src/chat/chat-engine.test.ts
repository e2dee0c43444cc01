import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEncoding } from '@redef/encoders';
import type { Score } from '@redef/training';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCharacterTokenizer } from './character-tokenizer.js';
import { type ChatEngineOptions, type ChatScore, createChatEngine } from './chat-engine.js';

let root: string;
let server: Server;
let bodies: { messages: { content: string }[]; temperature: number; seed?: number; max_tokens?: number }[];
/** What the server does with its n-th request, from 0. */
let behave: (response: ServerResponse, index: number) => void;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-chat-'));
  bodies = [];
  behave = (response) => answer(response, '{"defect_percent": 30}');
  server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    behave(response, bodies.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

function answer(response: ServerResponse, content: string | null): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] }));
}

function refuse(response: ServerResponse, status: number, error: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error }));
}

const engineAt = (options: Partial<ChatEngineOptions> = {}) =>
  createChatEngine({
    model: 'm',
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    encoding: 'diff-tags',
    answers: join(root, 'answers'),
    ...options,
  });

const tokenizer = createCharacterTokenizer(10_000);
const examples = (texts: readonly string[]) =>
  texts.map((text, i) => ({ id: `${i}`, inputIds: tokenizer.encode(text) }));

async function scoresOf(
  texts: readonly string[],
  options: Partial<ChatEngineOptions> = {},
  seed = 1,
): Promise<number[]> {
  const engine = engineAt(options);
  const folder = join(root, `model-${seed}`);
  await engine.fit({ folder, train: [], validation: [], seed });
  const scores: Score[] = [];
  for await (const score of engine.predict(folder, examples(texts))) scores.push(score);
  expect(scores.map(({ id }) => id)).toEqual(texts.map((_, i) => `${i}`));
  return scores.map(({ score }) => score);
}

test('the model is shown what an encoding lays out, is told how to read it, and is not asked again', async () => {
  const change = {
    id: '0',
    function_before: 'int f()\n{\n  return 0;\n}',
    function_after: 'int f()\n{\n  return 1;\n}',
  };
  const encoding = createEncoding('diff-tags');
  const { inputIds, text } = encoding.encode(change, { tokenizer, maxTokens: 10_000 });
  const engine = engineAt();
  const folder = join(root, 'model');
  await engine.fit({ folder, train: [], validation: [], seed: 1 });
  const run = async (): Promise<Score[]> => {
    const scores: Score[] = [];
    for await (const score of engine.predict(folder, [{ id: '0', inputIds }])) scores.push(score);
    return scores;
  };
  expect(await run()).toEqual([{ id: '0', score: 0.3 }]);
  const [system, user] = bodies[0]!.messages;
  expect(user!.content).toBe(text);
  expect(text).toContain('<DEL>  return 0;\n<ADD>  return 1;');
  expect(system!.content).toMatch(/<DEL> stands before a line that was taken out/);
  expect(bodies[0]).toMatchObject({ temperature: 0, max_tokens: 64 });
  expect(bodies[0]!.seed).toBeUndefined();
  await run();
  expect(bodies.length).toBe(1);
});

test('any text comes back from its ids as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    }),
  );
});

test('at temperature 0 all seeds share an answer; above it each seed asks for its own', async () => {
  await scoresOf(['a'], {}, 1);
  await scoresOf(['a'], {}, 2);
  expect(bodies.length).toBe(1);
  await scoresOf(['a'], { temperature: 0.7 }, 1);
  await scoresOf(['a'], { temperature: 0.7 }, 2);
  expect(bodies.slice(1).map(({ seed }) => seed)).toEqual([1, 2]);
});

test('too many requests, a server error, a cut body, no JSON, a hang: asked again', async () => {
  behave = (response, index) => {
    if (index === 0) return refuse(response, 429, { message: 'slow down' }, { 'retry-after-ms': '5' });
    if (index === 1) return refuse(response, 500, { message: 'oops' }, { 'retry-after-ms': '5' });
    if (index === 2) return void response.socket!.destroy();
    if (index === 3) {
      response.setHeader('content-type', 'application/json');
      return void response.end('{"choices": [{"mess');
    }
    if (index === 4) return; // hangs
    answer(response, 'Well.\n```json\n{"defect_percent": 85}\n```');
  };
  expect(await scoresOf(['a'], { timeoutMs: 300 })).toEqual([0.85]);
  expect(bodies.length).toBe(6);
});

test.each([
  ...['', null, 'yes', '{"defect_percent": "high"}', '{"defect_percent": 140}', '{"probability": 1}'],
  ...['1000', '1e2', '1/2', '-5', '"100x"'].map((value) => `{"defect_percent": ${value}}`),
])('an answer such as %j is no answer: asked three times, then scored 0, and never again', async (content) => {
  behave = (response) => answer(response, content);
  await expect(scoresOf(['a'])).rejects.toMatchObject({ code: 'too-few-answers' });
  expect(bodies.length).toBe(3);
  await expect(scoresOf(['a'])).rejects.toMatchObject({ code: 'too-few-answers' });
  expect(bodies.length).toBe(3);
});

test.each([
  ['{"defect_percent":"85 %"}', 0.85],
  ['{"defect_percent": 12.5, "why": "x"}', 0.125],
  ['"defect_percent": 7', 0.07],
])('%s is read', async (content, score) => {
  behave = (response) => answer(response, content);
  expect(await scoresOf(['a'])).toEqual([score]);
});

test('what is not answered is scored 0 with its reason: refused, filtered, unreadable, too long', async () => {
  const json = (response: ServerResponse, choice: object): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [choice] }));
  };
  const odd: Record<string, (response: ServerResponse) => void> = {
    refused: (response) => json(response, { message: { role: 'assistant', content: null, refusal: 'I cannot.' } }),
    filtered: (response) => json(response, { finish_reason: 'content_filter', message: { content: '' } }),
    unreadable: (response) => answer(response, 'I will not say.'),
    'too long': (response) => refuse(response, 400, { message: 'maximum context length is 4096 tokens' }),
  };
  behave = (response, index) =>
    (odd[bodies[index]!.messages[1]!.content] ?? ((other) => answer(other, '{"defect_percent": 100}')))(response);
  const texts = [...Array.from({ length: 36 }, (_, i) => `text ${i}`), ...Object.keys(odd)];
  const engine = engineAt();
  await engine.fit({ folder: join(root, 'model'), train: [], validation: [], seed: 1 });
  for (const calls of [36 + 3 * 3 + 1, 0]) {
    const before = bodies.length;
    const scores: ChatScore[] = [];
    for await (const score of engine.predict(join(root, 'model'), examples(texts))) scores.push(score);
    expect(scores.slice(0, 36).every(({ score, unanswered }) => score === 1 && unanswered === undefined)).toBe(true);
    expect(scores.slice(36)).toEqual(
      ['refused', 'refused', 'unreadable', 'too-long'].map((unanswered, i) => ({
        id: `${36 + i}`,
        score: 0,
        unanswered,
      })),
    );
    expect(bodies.length - before).toBe(calls); // the second time from what is kept
  }
});

test('equal texts of one run are asked at once, and neither harms the other', async () => {
  expect(await scoresOf(Array.from({ length: 30 }, () => 'a'))).toEqual(Array.from({ length: 30 }, () => 0.3));
});

test('a refused key ends the run and is in no message; what was answered is kept', async () => {
  const key = 'sk-verysecret123456';
  behave = (response, index) =>
    index === 0
      ? answer(response, '{"defect_percent": 10}')
      : refuse(response, 401, { message: `Incorrect API key provided: ${key}` });
  await scoresOf(['a'], { apiKey: key });
  const failure = await scoresOf(['a', 'b'], { apiKey: key }).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'key-refused' });
  expect(JSON.stringify([failure, (failure as Error).message])).not.toContain('verysecret');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files) expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain('verysecret');
});

test('a server that is not there, an unknown model, and OpenAI without a key', async () => {
  behave = (response) => refuse(response, 404, { message: 'no such model' });
  await expect(scoresOf(['a'])).rejects.toMatchObject({ code: 'request-refused' });
  await expect(scoresOf(['a'], { baseURL: 'http://127.0.0.1:9/v1', maxRetries: 0 })).rejects.toMatchObject({
    code: 'server-unavailable',
  });
  expect(() => createChatEngine({ model: 'm', encoding: 'diff-tags', answers: root })).toThrow(
    expect.objectContaining({ code: 'missing-key' }),
  );
});

test('many calls are under way at once, and a stop ends them', async () => {
  let open = 0;
  let most = 0;
  behave = (response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      answer(response, '{"defect_percent": 1}');
    }, 20);
  };
  await scoresOf(Array.from({ length: 40 }, (_, i) => `${i}`));
  expect(most).toBe(8);

  const stop = new AbortController();
  const engine = engineAt({ answers: join(root, 'others') });
  const rows = engine.predict(join(root, 'model-1'), examples(['a', 'b']), { signal: stop.signal });
  behave = () => stop.abort();
  await expect(rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'aborted' });
});

test('a name that may be a mistyped address is refused before a key goes to OpenAI', () => {
  const chat = { apiKey: 'k', encoding: 'diff-tags', answers: join(root, 'answers') } as const;
  for (const address of [{ model: 'm@127.0.0.1:9/v1' }, { model: 'm', baseURL: 'ftp://127.0.0.1/v1' }]) {
    expect(() => createChatEngine({ ...chat, ...address })).toThrow(/no http or https URL/);
  }
});
