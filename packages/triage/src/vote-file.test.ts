import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256, type Vote } from '@redef/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openVoteFile } from './vote-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-votes-'));
});
afterEach(() => rm(folder, { recursive: true }));

const vote = (ballot: number): Vote => ({
  schema: 'redef.vote/1',
  id: sha256(String(ballot)),
  ballot,
  voter: 'local:m',
  rule_based: false,
  rubric: 'redef-clean/1',
  category: 'B',
  rationale: `It speaks for itself; größer\n"${ballot}"`,
  quotes: ['größer'],
  evidence_digest: sha256('evidence'),
});
const key = (ballot: number) => sha256(`key ${ballot}`);

async function fill(path: string, count: number): Promise<void> {
  const cache = await openVoteFile(path);
  await Promise.all(Array.from({ length: count }, (_, ballot) => cache.set(key(ballot), vote(ballot))));
  await cache.close();
}

test('gives back what was stored, in this process and the next', async () => {
  const path = join(folder, 'deep/votes.jsonl');
  await fill(path, 100);
  const cache = await openVoteFile(path);
  expect(cache.size).toBe(100);
  for (let ballot = 0; ballot < 100; ballot++) expect(cache.get(key(ballot))).toEqual(vote(ballot));
  expect(cache.get(key(100))).toBeUndefined();
  await cache.set(key(100), vote(100));
  expect(cache.get(key(100))).toEqual(vote(100));
  await cache.close();
});

test('a vote is never replaced or stored twice', async () => {
  const path = join(folder, 'votes.jsonl');
  const cache = await openVoteFile(path);
  await Promise.all([cache.set(key(0), vote(0)), cache.set(key(0), vote(1)), cache.set(key(1), vote(1))]);
  await cache.set(key(0), vote(2));
  expect(cache.get(key(0))).toEqual(vote(0));
  await cache.close();
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3);
});

test('a file cut at any byte of its last line loses that vote alone and takes it again', async () => {
  const path = join(folder, 'votes.jsonl');
  await fill(path, 3);
  const whole = await readFile(path);
  const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
  for (let cut = lastLine; cut < whole.length; cut++) {
    await writeFile(path, whole.subarray(0, cut));
    const cache = await openVoteFile(path);
    expect(cache.size).toBe(2);
    await cache.set(key(2), vote(2));
    expect(cache.get(key(2))).toEqual(vote(2));
    await cache.close();
    expect(await readFile(path)).toEqual(whole);
  }
});

test('a line of something else is refused by number', async () => {
  const path = join(folder, 'votes.jsonl');
  await fill(path, 1);
  await writeFile(path, '{"schema":"redef.vote/1"}\n', { flag: 'a' });
  await expect(openVoteFile(path)).rejects.toMatchObject({
    code: 'cache-damaged',
    message: expect.stringContaining(':2:'),
  });
});

test('one process at a time; the lock of a dead one is taken over', async () => {
  const path = join(folder, 'votes.jsonl');
  const cache = await openVoteFile(path);
  await expect(openVoteFile(path)).rejects.toMatchObject({ code: 'in-use' });
  await cache.close();
  const gone = { host: hostname(), pid: 2 ** 22 + 1, started: '1' }; // above any process id Linux gives out
  await writeFile(`${path}.lock-01234567-89ab-cdef-0123-456789abcdef`, JSON.stringify(gone));
  await (await openVoteFile(path)).close();
});

test('what was written is flushed to the disk a second later, and a disk that fails takes no further vote', async () => {
  const probe = await open(join(folder, 'probe'), 'w');
  const handle = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const flush = vi.spyOn(handle, 'datasync');
  try {
    const cache = await openVoteFile(join(folder, 'votes.jsonl'));
    for (let ballot = 0; ballot < 50; ballot++) await cache.set(key(ballot), vote(ballot));
    await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(1), { timeout: 10_000 });
    flush.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
    await cache.set(key(50), vote(50));
    await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(2), { timeout: 10_000 });
    await expect(cache.set(key(51), vote(51))).rejects.toMatchObject({ code: 'disk-failed' });
    await cache.close();
  } finally {
    flush.mockRestore();
  }
});

test('a file of another kind without a line end is left as it is', async () => {
  const path = join(folder, 'prices.json');
  for (const text of ['{"schema":"redef.prices/1"}', 'x', '{"key":"']) {
    await writeFile(path, text);
    const opened = openVoteFile(path);
    if (text === '{"key":"')
      await (await opened).close(); // an entry begun, of which nobody was told
    else await expect(opened).rejects.toMatchObject({ code: 'not-a-cache' });
    expect(await readFile(path, 'utf8')).toBe(text === '{"key":"' ? '' : text);
  }
});
