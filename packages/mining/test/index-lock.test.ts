import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mineCandidates } from '../src/index.js';
import { builtPackage } from './built.js';
import { collectAll, FixtureRepository, source } from './git-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'redef-lock-'));
const repository = new FixtureRepository();
let built: string;
let fresh: string;
beforeAll(async () => {
  built = pathToFileURL(await builtPackage()).href;
  const files = (i: number) => ({ [`dir/file${i % 90}.c`]: source({ f: `return ${i};`, g: `return ${i % 4};` }) });
  repository.commit(...Array.from({ length: 800 }, (_, i) => ({ message: `Commit ${i}`, files: files(i) })));
  for (const target of [300, 500]) {
    const message = `Revert it\n\nThis reverts commit ${repository.id(target + 1)}.`;
    repository.commit({ message, files: files(target - 90) });
  }
  fresh = await mine();
}, 120_000);
afterAll(() => {
  repository.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const options = { project: 'p', allClean: true, problemWords: [] };
const mine = async (index?: string): Promise<string> => {
  const { rows } = await collectAll(mineCandidates(repository.path, { ...options, ...(index ? { index } : {}) }));
  return rows.map((row) => JSON.stringify(row)).join('\n');
};
const locks = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes('.lock-'));

/** Mines in a process of its own; it says `ready` at its first event of the stage. */
function mineElsewhere(index: string, stage: string, workers = 0): { child: ChildProcess; ready: Promise<void> } {
  const script = `
    import { mineCandidates } from ${JSON.stringify(built)};
    const onEvent = ({ stage }) => stage === ${JSON.stringify(stage)} && console.log('ready');
    const options = { ...${JSON.stringify({ ...options, index, workers })}, onEvent };
    for await (const row of mineCandidates(${JSON.stringify(repository.path)}, options)) if (row.kind === 'candidate') console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout!.once('data', () => resolve());
    child.once('exit', () => resolve());
  });
  return { child, ready };
}
const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

describe('two runs on one index folder', () => {
  test('the second is told, and can have it once the first has ended', async () => {
    const index = join(scratch, 'twice');
    const first = mineCandidates(repository.path, { ...options, index });
    await first.next();
    await expect(mine(index)).rejects.toMatchObject({ code: 'in-use' });
    await first.return(undefined as never);
    expect(locks(index)).toEqual([]);
    expect(await mine(index)).toBe(fresh);
  });

  test('of another process', async () => {
    const index = join(scratch, 'another');
    const { child, ready } = mineElsewhere(index, 'functions');
    await ready;
    child.kill('SIGSTOP');
    await expect(mine(index)).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringContaining(String(child.pid)),
    });
    child.kill('SIGCONT');
    await ended(child);
    expect(child.exitCode).toBe(0);
    expect(await mine(index)).toBe(fresh);
  });

  test('many at once: at most one goes on, and all that do give the same', async () => {
    const index = join(scratch, 'many');
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => mine(index)));
    for (const result of results) {
      if (result.status === 'fulfilled') expect(result.value).toBe(fresh);
      else expect(result.reason).toMatchObject({ code: 'in-use' });
    }
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(await mine(index)).toBe(fresh);
  });
});

describe('a run that was killed', () => {
  test.each([
    ['log', 0],
    ['functions', 0],
    ['functions', 2],
    ['rows', 0],
  ] as const)(
    'in its stage %s with %d workers blocks nobody, and the next gives the same rows',
    async (stage, workers) => {
      for (const delay of [0, 20]) {
        const index = join(scratch, `killed-${stage}-${workers}-${delay}`);
        const { child, ready } = mineElsewhere(index, stage, workers);
        await ready;
        await new Promise((resolve) => setTimeout(resolve, delay));
        child.kill('SIGKILL');
        await ended(child);
        expect(await mine(index)).toBe(fresh);
        expect(locks(index)).toEqual([]);
        expect(readFileSync(join(index, 'index.json'), 'utf8')).toContain('"complete": true');
      }
    },
  );

  test('while commits.jsonl is being written', async () => {
    const index = join(scratch, 'killed-early');
    const { child } = mineElsewhere(index, 'functions');
    let seen = false;
    while (!seen && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      try {
        seen = readdirSync(index).includes('commits.jsonl');
      } catch {
        // not there yet
      }
    }
    child.kill('SIGKILL');
    await ended(child);
    expect(child.signalCode).toBe('SIGKILL');
    expect(await mine(index)).toBe(fresh);
  });
});
