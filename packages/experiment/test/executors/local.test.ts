import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cell } from '../../src/cells/cell.js';
import type { CellEvent } from '../../src/cells/executor.js';
import { runStore } from '../../src/cells/run-store.js';
import { createLocalExecutor, type LocalOptions } from '../../src/executors/local.js';
import { attempts, cell, isAlive, pidOf, scriptedRedef, told } from './batch.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "redef local ' $HOME\n"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (steps: Record<string, string[]>): void =>
  writeFileSync(join(folder, 'script.json'), JSON.stringify(steps));
function submit(cells: Cell[], options: Partial<LocalOptions> = {}, signal?: AbortSignal): AsyncIterable<CellEvent> {
  const executor = createLocalExecutor({ redef: scriptedRedef, processes: 2, ...options });
  return executor.submit(cells, { folder, store: runStore(join(folder, 'store')), ...(signal && { signal }) });
}

test('a crash is tried once more, a second crash or a failure ends that cell alone', async () => {
  script({ once: ['crash', 'done'], twice: ['crash'], says: ['fail'] });
  const lines = await told(submit([cell('once'), cell('twice'), cell('says'), cell('fine')]));
  expect(lines.filter((line) => !line.endsWith('started')).sort()).toEqual([
    'fine done',
    'once done',
    'says its process ended without a result, with exit code 3: no such file',
    'twice its process ended without a result, by SIGKILL: about to crash',
  ]);
  expect(attempts(folder).sort()).toEqual(['fine', 'once', 'once', 'says', 'twice', 'twice']);
});

test('what failed is recorded in the store, and forgotten once it is done', async () => {
  script({ a: ['fail', 'done'] });
  const { failure } = runStore(join(folder, 'store'));
  await told(submit([cell('a')]));
  expect(JSON.parse(readFileSync(failure('a'), 'utf8'))).toMatchObject({ code: 'cell-ended' });
  expect(await told(submit([cell('a')]))).toEqual(['a started', 'a done']);
  expect(existsSync(failure('a'))).toBe(false);
});

test('a cell waits for the one whose model it uses, and one that is done is not run', async () => {
  script({});
  await told(submit([cell('old')]));
  const lines = await told(submit([cell('child', 'parent'), cell('old'), cell('parent')], { processes: 16 }));
  expect(lines.indexOf('parent done')).toBeLessThan(lines.indexOf('child started'));
  expect(attempts(folder)).toEqual(['old', 'parent', 'child']);
});

test('a program that is not there fails every cell and throws nothing', async () => {
  script({});
  const lines = await told(submit([cell('a'), cell('b')], { redef: [join(folder, 'nothing')] }));
  expect(lines.filter((line) => /ENOENT/.test(line))).toHaveLength(2);
});

test('an abort stops every process, the deaf ones too, and is thrown', async () => {
  script({ a: ['hang'], b: ['deaf'] });
  const stop = new AbortController();
  const ended = told(submit([cell('a'), cell('b'), cell('c')], { graceMs: 300 }, stop.signal));
  const pids = [await pidOf(folder, 'a'), await pidOf(folder, 'b')];
  stop.abort();
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(attempts(folder).sort()).toEqual(['a', 'b']);
});

test('a consumer that leaves waits until no process is left', async () => {
  script({ a: ['hang'], b: ['wait for go'] });
  const leave = async (): Promise<void> => {
    for await (const { type } of submit([cell('a'), cell('b')])) if (type === 'done') break;
  };
  const left = leave();
  const pid = await pidOf(folder, 'a');
  writeFileSync(join(folder, 'go'), '');
  await left;
  expect(isAlive(pid)).toBe(false);
});

test('a run store that cannot be read ends the run', async () => {
  script({});
  writeFileSync(join(folder, 'store'), 'a file');
  await expect(told(submit([cell('a'), cell('b')]))).rejects.toMatchObject({ code: 'not-a-folder' });
});

test.each([0, 1.5, Number.NaN])('%d processes are refused', (processes) => {
  expect(() => createLocalExecutor({ redef: scriptedRedef, processes })).toThrow(/integer of at least 1/);
});
