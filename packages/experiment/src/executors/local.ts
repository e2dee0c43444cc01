import { spawn } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError, throwIfAborted } from '@redef/core';
import { makeFolder } from '@redef/core/files';
import type { Cell } from '../cells/cell.js';
import { type CellEvent, type Executor, type ExecutorRun, inOrder } from '../cells/executor.js';
import { finishedCell } from '../cells/run-store.js';
import { forgetFailure, verdict } from './verdict.js';

export interface LocalOptions {
  /** Program and first arguments of the command line; `study cell FOLDER KEY` is appended. */
  redef: readonly string[];
  /** How many cells run at once, each in a process of its own. */
  processes: number;
  /** Environment of the processes. Default: that of this one. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long a process may take to stop when asked to, before it is killed. Default 10,000. */
  graceMs?: number;
}

/**
 * Runs cells in child processes of this one. A process that crashes (ended by a signal, as when memory runs out) is
 * started once more. When the signal fires or the consumer leaves, every process is asked to stop, killed where it does
 * not, and waited for. Each has an IPC channel to this one: by its `disconnect` event it sees that this one was killed.
 *
 * @throws `RedefError` `invalid-option`
 */
export function createLocalExecutor(options: LocalOptions): Executor {
  const { processes } = options;
  if (!Number.isInteger(processes) || processes < 1) {
    throw new RedefError(`processes must be an integer of at least 1, got ${processes}`, {
      code: 'invalid-option',
      remedy: 'Give as many processes as the memory holds models: --processes 2.',
    });
  }
  return {
    id: 'local',
    async *submit(cells, run) {
      const { signal } = run;
      const left = new AbortController();
      const stop = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
      const events = new EventEmitter();
      const told = on(events, 'cell', { close: ['end'] });
      const work = Promise.allSettled([
        runCells(inOrder(cells), run, stop, options, (event) => events.emit('cell', event)).finally(() =>
          events.emit('end'),
        ),
      ]);
      try {
        for await (const [event] of told) yield event as CellEvent;
      } finally {
        left.abort();
        await work;
      }
      const [outcome] = await work;
      if (outcome.status === 'rejected') throw outcome.reason;
      throwIfAborted(signal);
    },
  };
}

async function runCells(
  cells: readonly Cell[],
  { folder, store }: Pick<ExecutorRun, 'folder' | 'store'>,
  stop: AbortSignal,
  options: LocalOptions,
  tell: (event: CellEvent) => void,
): Promise<void> {
  const logs = join(folder, 'cache', 'logs');
  await makeFolder(logs);

  const ended = new Map<string, Promise<void>>();
  const runCell = async ({ key, uses }: Cell): Promise<void> => {
    if (await finishedCell(store, key)) return tell({ type: 'done', key, reused: true });
    if (uses !== undefined) await ended.get(uses); // it comes first: one of the places has it, or had
    if (stop.aborted) return;
    tell({ type: 'started', key });
    await forgetFailure(store, key);
    const command = [...options.redef, 'study', 'cell', folder, key];
    const log = join(logs, `${key}.log`);
    let ending = await runProcess(command, log, stop, options);
    if (ending.crashed && !stop.aborted) ending = await runProcess(command, log, stop, options);
    if (!stop.aborted || ending.code === 0) tell(await verdict(store, key, ending.text, log));
  };

  const rest = cells.values();
  let broken = false;
  const place = async (): Promise<void> => {
    for (const cell of rest) {
      if (stop.aborted || broken) return;
      const run = runCell(cell);
      ended.set(cell.key, run);
      await run.catch((error: unknown) => {
        broken = true; // the run store cannot be read or written: no other cell would fare better
        throw error;
      });
    }
  };
  const places = Array.from({ length: options.processes }, place);
  await Promise.allSettled(places);
  await Promise.all(places);
}

interface Ending {
  code: number | null;
  /** Ended by a signal. */
  crashed: boolean;
  text: string;
}

/** Runs a process to its end with its output in a file. One that cannot be started has ended, too. */
async function runProcess(
  [program, ...args]: readonly string[],
  log: string,
  stop: AbortSignal,
  { env, graceMs = 10_000 }: LocalOptions,
): Promise<Ending> {
  const output = await open(log, 'w');
  let timer: NodeJS.Timeout | undefined;
  let end = (): void => {};
  try {
    const child = spawn(program!, args, {
      stdio: ['ignore', output.fd, output.fd, 'ipc'],
      windowsHide: true,
      ...(env && { env }),
    });
    end = () => {
      child.kill('SIGTERM');
      timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    };
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
    const [code, signal] = await once(child, 'exit');
    return { code, crashed: signal !== null, text: signal ? `by ${signal}` : `with exit code ${code}` };
  } catch (error) {
    return { code: null, crashed: false, text: (error as Error).message };
  } finally {
    stop.removeEventListener('abort', end);
    clearTimeout(timer);
    await output.close();
  }
}
