import { readFileSync } from 'node:fs';

/** Whether a process of this machine is alive. One that ended and that its parent has not asked after yet (`Z`) is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's
  }
  return !/^[ZX]$/.test(processFields(pid)?.[0] ?? '');
}

/** What `/proc` says of a process from its state on, the third field of all; `undefined` where there is no `/proc`. */
export function processFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' '); // the name, in parentheses, may hold anything
  } catch {
    return undefined;
  }
}
