import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RedefError, throwIfAborted } from '@redef/core';
import { gitEnvironment } from '../git/git-process.js';
import type { BucketTask } from './run-bucket.js';

/** What a worker answers to a task. */
export type WorkerAnswer = { ok: true } | { ok: false; message: string; code: string; remedy: string };

/** Spreads tasks over worker processes; each takes the next when it has finished one. The first failure ends all. */
export async function runInWorkers(
  tasks: readonly BucketTask[],
  workers: number,
  onDone: () => void,
  signal?: AbortSignal,
): Promise<void> {
  const children: ChildProcess[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const child = fork(workerPath(), [], {
      env: gitEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    children.push(child);
    while (next < tasks.length) {
      throwIfAborted(signal);
      const answer = await ask(child, tasks[next++]!, signal);
      if (!answer.ok) throw new RedefError(answer.message, { code: answer.code, remedy: answer.remedy });
      onDone();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(workers, tasks.length) }, work));
  } finally {
    for (const child of children) child.kill();
  }
}

/** Beside the built module; a source tree uses the build of its package. */
function workerPath(): string {
  const here = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(here.endsWith('.ts') ? '../../dist/worker.js' : './worker.js', import.meta.url));
}

function ask(child: ChildProcess, task: BucketTask, signal: AbortSignal | undefined): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      cleanUp();
      try {
        throwIfAborted(signal);
      } catch (error) {
        reject(error);
      }
    };
    const ended = (code: number | null): void => {
      cleanUp();
      reject(
        new RedefError(`A worker process ended with code ${code}`, {
          code: 'worker-failed',
          remedy: 'Run again with fewer workers, or with none.',
        }),
      );
    };
    const answered = (answer: unknown): void => {
      cleanUp();
      resolve(answer as WorkerAnswer);
    };
    const cleanUp = (): void => {
      child.off('message', answered);
      child.off('exit', ended);
      signal?.removeEventListener('abort', stopped);
    };
    child.once('message', answered);
    child.once('exit', ended);
    signal?.addEventListener('abort', stopped, { once: true });
    child.send(task);
  });
}
