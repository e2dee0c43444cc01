import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../../../scripts/bundle.js';

let root: string;
let program: string;
let undisturbed: { lines: string[]; weights: Buffer };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-kill-'));
  program = await bundle(fileURLToPath(new URL('../../test/fit-child.ts', import.meta.url)), root);
  const folder = join(root, 'undisturbed');
  undisturbed = { ...(await run(folder)), weights: weightsOf(folder) };
});
afterAll(() => rmSync(root, { recursive: true }));

const weightsOf = (folder: string) => readFileSync(join(folder, 'model.safetensors'));

interface Interruption {
  /** After which of the steps of this process. */
  afterSteps: number;
  delayMs?: number;
  signal: 'SIGKILL' | 'SIGTERM';
}

/** Runs the training in a process of its own, which may be sent a signal, or be forbidden to write large files. */
async function run(folder: string, interruption?: Interruption, maxFileBlocks?: number) {
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks}; `;
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (interruption && lines.length === interruption.afterSteps) {
      if (interruption.delayMs) await sleep(interruption.delayMs);
      child.kill(interruption.signal);
    }
  }
  await exit;
  return { lines };
}

const stepsOf = (lines: readonly string[]) => lines.flatMap((line) => /^step (\d+)$/.exec(line)?.[1] ?? []).map(Number);

test('killed again and again at random points, a training ends with the bytes of an undisturbed one', async () => {
  const folder = join(root, 'killed');
  const rng = createRng('kills');
  let reached = 0;
  let kills = 0;
  for (;;) {
    const { lines } = await run(folder, {
      afterSteps: 1 + rng.integer(6),
      delayMs: rng.integer(40),
      signal: 'SIGKILL',
    });
    if (lines.at(-1)?.startsWith('{')) break;
    kills++;
    const [first = reached + 1] = stepsOf(lines);
    expect(first).toBeLessThanOrEqual(reached + 1);
    expect(first).toBeGreaterThan(reached - 3 * 2); // at most the two checkpoints before are lost
    reached = Math.max(reached, ...stepsOf(lines));
  }
  expect(kills).toBeGreaterThan(2);
  const { lines } = await run(folder); // finished: trains anew, to the same end
  expect(lines.at(-1)).toBe(undisturbed.lines.at(-1));
  expect(weightsOf(folder).equals(undisturbed.weights)).toBe(true);
});

test('a SIGTERM saves first: no step is made twice', async () => {
  const folder = join(root, 'terminated');
  const first = await run(folder, { afterSteps: 5, signal: 'SIGTERM' });
  expect(first.lines.at(-1)).toMatch(/^aborted: /);
  const second = await run(folder);
  expect([...stepsOf(first.lines), ...stepsOf(second.lines)]).toEqual(stepsOf(undisturbed.lines));
  expect(second.lines.at(-1)).toBe(undisturbed.lines.at(-1));
  expect(weightsOf(folder).equals(undisturbed.weights)).toBe(true);
});

test('a disk that is full at a checkpoint is told, and the checkpoint before is intact', async () => {
  const folder = join(root, 'full');
  await run(folder, { afterSteps: 5, signal: 'SIGTERM' });
  const checkpoints = join(folder, 'checkpoints');
  cpSync(checkpoints, join(root, 'before'), { recursive: true });
  const { lines } = await run(folder, undefined, 8); // less than the weights take
  expect(lines.at(-1)).toMatch(/^disk-full: .*safetensors: no space left/);
  expect(readdirSync(checkpoints).sort()).toEqual(readdirSync(join(root, 'before')).sort());
  for (const name of readdirSync(checkpoints)) {
    expect(readFileSync(join(checkpoints, name)).equals(readFileSync(join(root, 'before', name)))).toBe(true);
  }
  const { lines: resumed } = await run(folder);
  expect(stepsOf(resumed)[0]).toBe(6);
  expect(weightsOf(folder).equals(undisturbed.weights)).toBe(true);
});
