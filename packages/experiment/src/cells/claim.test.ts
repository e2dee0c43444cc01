import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claim, isAbandoned } from './claim.js';

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-claim-'));
  path = join(root, 'claims', 'a');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const quick = { pollMs: 5, staleMs: 50, beatMs: 10 };

function leave(holder: object | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof holder === 'string' ? holder : JSON.stringify(holder));
}

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

test('one holds it, the other waits, and nothing is left behind', async () => {
  const release = await claim(path, quick);
  let second = false;
  const waiting = claim(path, quick).then((free) => {
    second = true;
    return free;
  });
  await sleep(150); // longer than staleMs: this process is alive
  expect([second, await isAbandoned(path)]).toEqual([false, false]);
  await release();
  await (await waiting)();
  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a dead process of this machine is taken over from at once, this pid of an earlier life too', async () => {
  for (const pid of [deadPid(), process.pid]) {
    leave({ host: hostname(), pid, turn: 1e9, beat: 3 });
    expect(await isAbandoned(path)).toBe(true);
    const release = await claim(path, { ...quick, staleMs: 1e9 });
    await release();
  }
});

test.each([{ host: 'elsewhere', pid: 1, turn: 1, beat: 0 }, 'not JSON', ''])(
  'a claim %j that does not move is taken over after a while',
  async (holder) => {
    leave(holder);
    expect(await isAbandoned(path)).toBe(false);
    const release = await claim(path, quick);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ host: hostname(), pid: process.pid });
    await release();
    expect(existsSync(path)).toBe(false);
  },
);

test('a pid that lives but whose claim stands still for long is not the holder any more', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
  leave({ host: hostname(), pid: child.pid, turn: 1, beat: 0 });
  let taken = false;
  const waiting = claim(path, { ...quick, staleMs: 40 }).then((release) => {
    taken = true;
    return release;
  });
  await sleep(200);
  expect([taken, await isAbandoned(path)]).toEqual([false, false]);
  await (await waiting)();
  child.kill();
});

test('a claim of another machine that moves is left alone', async () => {
  let beat = 0;
  leave({ host: 'elsewhere', pid: 1, turn: 1, beat });
  const beating = setInterval(() => leave({ host: 'elsewhere', pid: 1, turn: 1, beat: ++beat }), 10);
  const stop = new AbortController();
  const waiting = claim(path, { ...quick, staleMs: 100, signal: stop.signal });
  waiting.catch(() => {});
  await sleep(300);
  stop.abort();
  clearInterval(beating);
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  expect(JSON.parse(readFileSync(path, 'utf8')).host).toBe('elsewhere');
});

test('of many that find a dead claim one gets it at a time', async () => {
  leave({ host: hostname(), pid: deadPid(), turn: 1, beat: 0 });
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const release = await claim(path, quick);
      most = Math.max(most, ++holders);
      await sleep(2);
      holders--;
      await release();
    }),
  );
  expect(most).toBe(1);
});
