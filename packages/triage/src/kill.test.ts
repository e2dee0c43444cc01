import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRng, sha256 } from '@redef/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.js';
import { type BatchServer, startBatchServer } from '../test/batch-server.js';
import { type ChatServer, startChatServer } from '../test/chat-server.js';

const candidates = 200;
const kills = 50;
const concurrency = 4;
let folder: string;
let program: string;
let server: ChatServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-kill-'));
  program = await bundle(fileURLToPath(new URL('../test/triage-child.ts', import.meta.url)), folder);
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true });
});

async function launch(baseURL: string, cache: string, out: string): Promise<ChildProcess> {
  const args = [program, baseURL, cache, out, String(candidates), String(concurrency)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return child;
}

async function finish(baseURL: string, cache: string, out: string): Promise<string> {
  const child = await launch(baseURL, cache, out);
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  expect(code).toBe(0);
  return readFile(out, 'utf8');
}

test(`killed ${kills} times at random points, a run ends with the votes of an undisturbed one`, async () => {
  // one fault in eleven, so that kills also fall into back-offs and second tries
  const faults = ['cut', { status: 429 }, 'not-json', { status: 500 }] as const;
  server = await startChatServer({
    latencyMs: 5,
    behave: (_, index) => (index % 11 === 10 ? faults[(index / 11) & 3]! : 'answer'),
  });
  const { baseURL, requests } = server;
  const undisturbed = await finish(baseURL, join(folder, 'calm.jsonl'), join(folder, 'calm.rows.jsonl'));
  const calmCalls = requests.length;

  const cache = join(folder, 'killed.jsonl');
  const out = join(folder, 'killed.rows.jsonl');
  const rng = createRng('kill');
  let killed = 0;
  while (killed < kills) {
    const child = await launch(baseURL, cache, out);
    const soon = requests.length + rng.integer(14);
    while (requests.length < soon && child.exitCode === null) await sleep(1);
    await sleep(rng.integer(6));
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    const [, signal] = await over;
    if (signal === 'SIGKILL') killed++;
    else throw new Error('the run was over before it was killed often enough: give it more candidates');
  }
  const before = (await readFile(cache, 'utf8')).split('\n').length - 1;
  expect(before).toBeGreaterThan(kills); // the kills fell into a run that was getting on
  expect(before).toBeLessThan(3 * candidates);

  expect(sha256(await finish(baseURL, cache, out))).toBe(sha256(undisturbed));
  const keys = (await readFile(cache, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(0, 72));
  expect(keys).toHaveLength(3 * candidates);
  expect(new Set(keys).size).toBe(3 * candidates);
  // nothing was asked again but what was under way at a kill, was on its way to the disk, or failed
  const asked = new Map<string, number>();
  for (const request of requests.slice(calmCalls)) {
    const call = sha256(JSON.stringify(request));
    asked.set(call, (asked.get(call) ?? 0) + 1);
  }
  expect(asked.size).toBe(3 * candidates);
  const calls = requests.length - calmCalls;
  expect(calls).toBeLessThanOrEqual(3 * candidates + kills * 2 * concurrency + Math.ceil(calls / 11));
}, 600_000); // each of the fifty is a process of its own: minutes on a machine that is busy

test('killed at random points, a run by batch asks for no vote twice and ends with all of them', async () => {
  const candidates = 30;
  const batchProgram = await bundle(
    fileURLToPath(new URL('../test/batch-child.ts', import.meta.url)),
    join(folder, 'batch'),
  );
  const start = async (server: BatchServer, into: string): Promise<ChildProcess> => {
    const args = [batchProgram, server.baseURL, into, String(candidates)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout!, 'data');
    return child;
  };
  const fates = (index: number) =>
    index === 1 ? ({ status: 'expired', line: (line: number) => (line % 2 ? 'expired' : 'answer') } as const) : {};
  const calm = await startBatchServer({ fate: fates });
  const [code] = await once(await start(calm, join(folder, 'calm-batch')), 'exit');
  expect(code).toBe(0);
  await calm.close();

  const server = await startBatchServer({ fate: fates, polls: 30 });
  const into = join(folder, 'killed-batch');
  const rng = createRng('kill-batch');
  let killed = 0;
  for (let over = false; !over; ) {
    const child = await start(server, into);
    const exit = once(child, 'exit');
    const soon = setTimeout(() => child.kill('SIGKILL'), 5 + rng.integer(40 + 40 * killed));
    const [exitCode, signal] = await exit;
    clearTimeout(soon);
    if (signal === 'SIGKILL') killed++;
    else {
      expect(exitCode).toBe(0);
      over = true;
    }
  }
  expect(killed).toBeGreaterThan(5);
  const rows = (at: string) => readFile(join(folder, at, 'rows.jsonl'), 'utf8');
  expect(sha256(await rows('killed-batch'))).toBe(sha256(await rows('calm-batch')));
  const expired = server.batches.filter(({ status }) => status === 'expired').flatMap(({ lines }) => lines);
  expect(server.asked.length).toBe(3 * candidates + expired.filter((_, line) => line % 2).length);
  await server.close();
}, 600_000);
