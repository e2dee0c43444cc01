import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runStage, type Stage } from './stage.js';

let root: string;
let runs: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'redef-stage-'));
  writeFileSync(join(root, 'input'), 'one');
  runs = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const stage = (change: Partial<Stage> = {}): Stage => ({
  name: 'copy',
  folder: join(root, 'out'),
  inputFiles: { input: join(root, 'input') },
  config: { loud: false },
  run: async () => {
    runs++;
    await writeFileAtomic(join(root, 'out', 'copy'), readFileSync(join(root, 'input')));
    return { outputs: ['copy'], counts: { in: 1, kept: 1, dropped: {} } };
  },
  ...change,
});

test('a second run of the same does nothing; the manifest names digests, options and counts', async () => {
  const first = await runStage(stage());
  expect(first.skipped).toBe(false);
  const manifest = readFileSync(join(root, 'out', 'manifest.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({
    stage: 'copy',
    config: { loud: false },
    inputs: { input: '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed' },
    counts: { in: 1, kept: 1 },
  });
  const second = await runStage(stage());
  expect([second.skipped, second.manifest, runs]).toEqual([true, first.manifest, 1]);
  expect(readFileSync(join(root, 'out', 'manifest.json'), 'utf8')).toBe(manifest);
});

test.each<[string, () => Promise<unknown>]>([
  ['another input', async () => writeFileSync(join(root, 'input'), 'two')],
  ['a changed output', async () => writeFileSync(join(root, 'out', 'copy'), 'edited')],
  ['a missing output', async () => rmSync(join(root, 'out', 'copy'))],
  ['a damaged manifest', async () => writeFileSync(join(root, 'out', 'manifest.json'), '{"schema"')],
  ['a missing manifest', async () => rmSync(join(root, 'out', 'manifest.json'))],
])('%s makes it run again', async (_, disturb) => {
  await runStage(stage());
  await disturb();
  expect((await runStage(stage())).skipped).toBe(false);
  expect(readFileSync(join(root, 'out', 'copy'), 'utf8')).toBe(readFileSync(join(root, 'input'), 'utf8'));
  expect((await runStage(stage())).skipped).toBe(true);
});

test('so do another option, seed or input id, and force', async () => {
  await runStage(stage());
  for (const change of [{ config: { loud: true } }, { seed: 1 }, { inputDigests: { head: 'abc' } }]) {
    expect((await runStage(stage(change))).skipped).toBe(false);
  }
  await runStage(stage());
  expect((await runStage(stage(), { force: true })).skipped).toBe(false);
});

test('a run that fails leaves no manifest, so the next one runs', async () => {
  await runStage(stage());
  const failing = stage({ config: { loud: true }, run: () => Promise.reject(new Error('broke')) });
  await expect(runStage(failing)).rejects.toThrow('broke');
  expect((await runStage(stage())).skipped).toBe(false);
});

test('a missing input is named', async () => {
  rmSync(join(root, 'input'));
  await expect(runStage(stage())).rejects.toMatchObject({ code: 'file-missing' });
});

test('a stage whose folder holds one of its inputs is refused, through a link too, and nothing is lost', async () => {
  symlinkSync(root, join(root, 'link'));
  writeFileSync(join(root, 'manifest.json'), 'of an earlier stage');
  for (const folder of [root, join(root, 'link')]) {
    await expect(runStage(stage({ folder }), { force: true })).rejects.toMatchObject({ code: 'would-overwrite' });
  }
  expect([runs, readFileSync(join(root, 'manifest.json'), 'utf8')]).toEqual([0, 'of an earlier stage']);
});
