import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { isRunning, processFields } from './is-running.js';

test('this process is running, one that never was is not', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(2 ** 22 + 1)).toBe(false); // above the kernel's highest
});

test('a process that ended is not running, though its parent has not asked after it', async ({ skip }) => {
  if (!existsSync('/proc/self/stat')) {
    console.warn('SKIPPED: a process that nobody asked after: there is no /proc here');
    return skip();
  }
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()).value.split(' ');
    const pid = Number(line);
    while (processFields(pid)?.[0] !== 'Z') await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, 0); // there it is
    expect(isRunning(pid)).toBe(false);
  } finally {
    parent.kill();
  }
});
