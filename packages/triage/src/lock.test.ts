import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lock } from './lock.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([
  ['an earlier process with the id of this one, as in a container', String(process.pid)],
  ['a process that was killed before it wrote its id', ''],
  ['a process that is gone', String(2 ** 22 + 1)],
])('the claim of %s is taken over, by one of many who try', async (_, content) => {
  const path = join(folder, 'votes.jsonl');
  await writeFile(`${path}.lock`, content);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock(path)));
  const won = tries.filter((one) => one.status === 'fulfilled');
  expect(won).toHaveLength(1);
  await won[0]!.value();
  expect(await readdir(folder)).toEqual([]);
  await (await lock(path))();
});
