import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Cell } from '../../src/cells/cell.js';
import type { CellEvent } from '../../src/cells/executor.js';
import { runStore } from '../../src/cells/run-store.js';
import { createSlurmExecutor, type SlurmOptions } from '../../src/executors/slurm/slurm.js';
import { slurmFolder } from '../../src/executors/slurm/state.js';
import { readSlurmCells } from '../../src/executors/slurm/status.js';
import { attempts, cell, pidOf, scriptedRedef, told } from './batch.js';
import { accountsAreInstalled, type SlurmNode, slurmIsInstalled, startSlurmNode } from './slurm-node.js';

const installed = slurmIsInstalled();
if (!installed) console.warn('SKIPPED: the Slurm executor on a real node: install slurmctld slurmd slurm-client munge');

let root: string;
let node: SlurmNode;
let folder: string;
let studies = 0;

beforeAll(async () => {
  if (!installed) return;
  root = mkdtempSync(join(tmpdir(), 'redef-slurm-'));
  mkdirSync(join(root, 'node'));
  node = await startSlurmNode(join(root, 'node'), { maxArraySize: 4 });
});
afterAll(async () => {
  await node?.stop();
  if (root) rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  if (!installed) return;
  folder = join(root, `study ${studies++} "it's" $HOME %A #1`);
  mkdirSync(folder);
  script({});
});

const script = (steps: Record<string, string[]>): void =>
  writeFileSync(join(folder, 'script.json'), JSON.stringify(steps));
const slurm = (...[program, ...args]: [string, ...string[]]): string =>
  execFileSync(program, args, { env: node.env, encoding: 'utf8', stdio: 'pipe' });

function submit(cells: Cell[], options: Partial<SlurmOptions> = {}, signal?: AbortSignal): AsyncIterable<CellEvent> {
  const executor = createSlurmExecutor({ redef: scriptedRedef, env: node.env, pollMs: 200, ...options });
  return executor.submit(cells, { folder, store: runStore(join(folder, 'store')), ...(signal && { signal }) });
}
const state = () => JSON.parse(readFileSync(join(slurmFolder(folder), 'slurm.json'), 'utf8'));

/** Without the report, which the watcher of a study takes over where it still waits. */
const cellsRun = (): string[] => attempts(folder).filter((key) => key !== 'report');

describe.skipIf(!installed)('on a real node', { timeout: 180_000 }, () => {
  test('arrays stay under the limit, models come before those who use them', async () => {
    const parents = ['a', 'b', 'c', 'd', 'e'].map((key) => cell(key));
    const lines = await told(submit([cell('child', 'e'), ...parents]));
    expect(lines.filter((line) => line.endsWith('done')).sort()).toEqual(
      'a b c child d e'.replace(/\w+/g, '$& done').split(/(?<=done) /),
    );
    expect(state().arrays.map(({ cells }: { cells: string[] }) => cells)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e'],
      ['child'],
    ]);
    expect(cellsRun().at(-1)).toBe('child');
    expect(await told(submit([cell('a')]))).toEqual(['a reused']);
  });

  test('a cell that fails or crashes is told of with what its log says; the others go on', async () => {
    script({ says: ['fail'], crashes: ['crash'] });
    const lines = await told(submit(['says', 'crashes', 'fine'].map((key) => cell(key))));
    expect(lines.filter((line) => !line.endsWith('started')).sort()).toEqual([
      'crashes its process ended without a result, as FAILED: about to crash',
      'fine done',
      'says its process ended without a result, as FAILED: no such file',
    ]);
    const before = cellsRun().length;
    script({});
    const again = await told(submit(['says', 'crashes', 'fine'].map((key) => cell(key))));
    expect(again.filter((line) => !line.endsWith('started'))[0]).toBe('fine reused');
    expect(cellsRun().slice(before).sort()).toEqual(['crashes', 'says']);
  });

  test('jobs outlive their submitter, who finds them again and submits only what is missing', async () => {
    script({ slow: ['wait for go'] });
    const stop = new AbortController();
    const first = told(submit([cell('slow'), cell('quick')], {}, stop.signal));
    await pidOf(folder, 'slow');
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'aborted', message: expect.stringMatching(/go on in Slurm/) });
    const second = told(submit([cell('slow'), cell('quick'), cell('new')]));
    while (state().arrays.length < 2) await sleep(50);
    expect(state().arrays.map(({ cells }: { cells: string[] }) => cells)).toEqual([['slow', 'quick'], ['new']]);
    writeFileSync(join(folder, 'go'), '');
    expect((await second).filter((line) => line.startsWith('slow'))).toContain('slow done');
    expect(attempts(folder).filter((key) => key === 'slow')).toHaveLength(1);
  });

  test('where nobody watches, the report is written once all cells have ended, well or not', async () => {
    script({ b: ['fail'] });
    const cells = [cell('a'), cell('b'), cell('child', 'a')];
    const detached = { code: 'detached', message: expect.stringMatching(/^the jobs \d+, \d+, \d+ go on in Slurm/) };
    await expect(told(submit(cells, { detach: true }))).rejects.toMatchObject(detached);
    while (!attempts(folder).includes('report')) await sleep(100);
    expect(attempts(folder).sort()).toEqual(['a', 'b', 'child', 'report']);
    expect(attempts(folder).at(-1)).toBe('report');
  });

  test('a job whose id was never written down is found by its name', async () => {
    script({ a: ['hang', 'done'] });
    await expect(told(submit([cell('a')], { detach: true }))).rejects.toMatchObject({ code: 'detached' });
    await pidOf(folder, 'a');
    expect(await readSlurmCells(folder, node.env)).toMatchObject([{ key: 'a', state: 'RUNNING', reason: '' }]);
    const written = state();
    const { job } = written.arrays[0];
    written.arrays[0].job = null;
    writeFileSync(join(slurmFolder(folder), 'slurm.json'), JSON.stringify(written));
    const watching = told(submit([cell('a')]));
    await sleep(500);
    slurm('scancel', job);
    expect((await watching).at(-1)).toMatch(/^a its process ended without a result, as CANCELLED/);
    expect(attempts(folder).filter((key) => key === 'a')).toHaveLength(1);
    while ((await readSlurmCells(folder, node.env))[0]!.state === 'CANCELLED') await sleep(100);
    expect(await readSlurmCells(folder, node.env)).toMatchObject([{ key: 'a', task: `${job}_0`, state: 'FORGOTTEN' }]);
  });

  test('the controller may be away for a while, the node may fail, and a requeued cell goes on', async () => {
    script({ a: ['hang', 'done'] });
    const watching = told(submit([cell('a')]));
    await pidOf(folder, 'a');
    await node.restart('slurmctld', 'SIGTERM');
    await node.restart('slurmd', 'SIGKILL');
    const { job } = state().arrays[0];
    for (let tries = 0; ; tries++) {
      try {
        slurm('scontrol', 'requeue', `${job}_0`);
        break;
      } catch (error) {
        if (tries > 50) throw error;
        await sleep(200);
      }
    }
    expect((await watching).at(-1)).toBe('a done');
  });

  test('what Slurm refuses is told in its words', async () => {
    const refused = told(submit([cell('a')], { partition: 'no such; touch x' }));
    await expect(refused).rejects.toMatchObject({ code: 'slurm-refused', message: expect.stringMatching(/partition/) });
    expect(existsSync('x')).toBe(false);
    expect((await told(submit([cell('a')], { memory: '1M', cpus: 1, running: 1, time: '5' }))).at(-1)).toBe('a done');
  });
});

const accounts = installed && accountsAreInstalled();
if (!accounts) console.warn("SKIPPED: Slurm's accounts: install slurmdbd mariadb-server-core beside Slurm");

test.skipIf(!accounts)('what the queue has forgotten comes from the accounts', { timeout: 180_000 }, async () => {
  mkdirSync(join(root, 'accounts'));
  const keeping = await startSlurmNode(join(root, 'accounts'), { accounts: true });
  try {
    script({ slow: ['hang'], fails: ['fail'] });
    const cells = [cell('fine'), cell('fails'), cell('slow')];
    const options = { detach: true, env: keeping.env };
    await expect(told(submit(cells, options))).rejects.toMatchObject({ code: 'detached' });
    await pidOf(folder, 'slow');
    const states = async (): Promise<string[]> =>
      (await readSlurmCells(folder, keeping.env)).map(({ state, reason }) => `${state} ${reason}`);
    const { job } = state().arrays[0];
    execFileSync('scancel', [`${job}_2`], { env: keeping.env });
    const queue = (): string => execFileSync('squeue', ['-h', '-t', 'all'], { env: keeping.env, encoding: 'utf8' });
    while (queue().includes(job)) await sleep(200);
    expect(await states()).toEqual(['COMPLETED ', 'FAILED ', 'CANCELLED ']);
    rmSync(join(folder, 'store', 'cells', 'fine'), { recursive: true });
    script({});
    expect((await told(submit(cells, { env: keeping.env }))).filter((line) => line.endsWith('done')).length).toBe(3);
  } finally {
    await keeping.stop();
  }
});

test.each([{ arraySize: 0 }, { pollMs: Number.NaN }, { running: 1.5 }, { partition: 'a\nb' }, { lines: ['a\rb'] }])(
  'options that no cluster takes are refused at once: %j',
  (options) => {
    expect(() => createSlurmExecutor({ redef: scriptedRedef, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  },
);

test('a machine without Slurm is told of', async () => {
  const here = mkdtempSync(join(tmpdir(), 'redef-no-slurm-'));
  const executor = createSlurmExecutor({ redef: scriptedRedef, env: { PATH: here } });
  await expect(
    told(executor.submit([cell('a')], { folder: here, store: runStore(join(here, 'store')) })),
  ).rejects.toMatchObject({
    code: 'slurm-missing',
  });
  rmSync(here, { recursive: true });
});
