import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redef } from './harness.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-executors-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  [['--partition', 'gpu'], /--partition is an option of the slurm executor/],
  [['--detach'], /--detach is an option of the slurm executor/],
  [['--executor', 'slurm', '--processes', '2'], /--processes is an option of the local executor/],
  [['--executor', 'slurm', '--running', '0'], /expected an integer of at least 1/],
  [['--executor', 'slurm', '--script-line', 'a\nb'], /a line break/],
  [['--executor', 'pbs'], /Allowed choices are local, slurm/],
])('%j is wrong use, told before anything is written', async (options, message) => {
  const { code, stderr } = await redef(root, ['study', '--out', 'study', ...options]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(existsSync(join(root, 'study'))).toBe(false);
});
