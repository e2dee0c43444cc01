import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Cell } from '../../src/cells/cell.js';
import type { CellEvent } from '../../src/cells/executor.js';

/** The command line in the tests of how processes end: see `scripted-redef.mjs`. */
export const scriptedRedef = [process.execPath, fileURLToPath(new URL('./scripted-redef.mjs', import.meta.url))];

export const cell = (key: string, uses?: string): Cell => ({
  schema: 'redef.cell/1',
  key,
  model: 'linear',
  encoding: 'diff-tags',
  seed: 1,
  spec: { engine: 'linear', options: {} },
  ...(uses !== undefined && { uses }),
  threshold: 'fixed',
  examples: { encoded: '', labels: '', split: '' },
  inputs: {},
});

/** `KEY started`, `KEY done`, `KEY reused`, or the key and why it failed. */
export async function told(events: AsyncIterable<CellEvent>): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of events) {
    const what = event.type === 'failed' ? event.failure.message : event.type;
    lines.push(`${event.key} ${event.type === 'done' && event.reused ? 'reused' : what}`);
  }
  return lines;
}

/** Keys in the order in which their processes began. */
export function attempts(folder: string): string[] {
  const file = join(folder, 'attempts.log');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Waits for the process of a cell that hangs. */
export async function pidOf(folder: string, key: string): Promise<number> {
  const file = join(folder, `${key}.pid`);
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
  return Number(readFileSync(file, 'utf8'));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
