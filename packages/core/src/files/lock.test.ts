import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lock } from './lock.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-lock-'));
  path = join(folder, 'votes.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const host = hostname();
const name = 'votes.jsonl.lock-01234567-89ab-cdef-0123-456789abcdef';
async function leave(text: string, ageSeconds = 0): Promise<void> {
  await writeFile(join(folder, name), text);
  const at = Date.now() / 1000 - ageSeconds;
  await utimes(join(folder, name), at, at);
}

test('one at a time; what is given back can be taken again, and another path is free', async () => {
  const release = await lock(path);
  await expect(lock(path)).rejects.toMatchObject({
    code: 'in-use',
    message: `${path}: in use by process ${process.pid} of ${host}`,
    remedy: expect.stringContaining('votes.jsonl.lock-'),
  });
  await (await lock(join(folder, 'votes')))();
  await release();
  await (await lock(path))();
  expect(await readdir(folder)).toEqual([]);
});

test('a file of another name is neither a claim nor touched', async () => {
  await writeFile(join(folder, 'votes.jsonl.lock-me'), 'x');
  await (await lock(path))();
  expect(await readdir(folder)).toEqual(['votes.jsonl.lock-me']);
});

describe('a claim that nobody holds is taken over, by one of many who try', () => {
  const gone = async (): Promise<number> => {
    const child = spawn('true');
    await once(child, 'exit');
    return child.pid!;
  };
  test.each([
    ['of a process that is gone', async () => JSON.stringify({ host, pid: await gone(), started: '1' })],
    ['of one whose number another has now', async () => JSON.stringify({ host, pid: process.pid, started: '1' })],
    ['cut off with its machine', async () => '{"host"'],
    ['empty', async () => ''],
    ['that names nobody', async () => 'null'],
  ])('%s', async (_, content) => {
    await leave(await content());
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock(path)));
    const won = tries.filter((one) => one.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]!.value();
    expect(await readdir(folder)).toEqual([]);
    await (await lock(path))();
  });

  test('of another machine, after a while only', async () => {
    const foreign = JSON.stringify({ host: `not-${host}`, pid: 1, started: '1' });
    await leave(foreign);
    await expect(lock(path)).rejects.toMatchObject({ code: 'in-use', remedy: expect.stringContaining(name) });
    await leave(foreign, 3600);
    await (await lock(path))();
  });
});

test('another process is seen while it lives, stopped or not, and not after it was killed', async () => {
  const child = spawn('sleep', ['60']);
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
  await leave(JSON.stringify({ host, pid: child.pid, started: stat.split(' ')[21] ?? '' }));
  child.kill('SIGSTOP');
  await expect(lock(path)).rejects.toMatchObject({ message: expect.stringContaining(String(child.pid)) });
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await lock(path))();
});
