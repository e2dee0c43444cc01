import { open, rm } from 'node:fs/promises';
import { writeFileAtomic } from '@redef/core/files';
import type { CellEvent } from '../cells/executor.js';
import { finishedCell, type RunStore, readFailure } from '../cells/run-store.js';

/** Forgets how a cell failed before, so that {@link verdict} finds what its next process says. */
export async function forgetFailure(store: RunStore, key: string): Promise<void> {
  await rm(store.failure(key), { force: true });
}

/** What became of a cell whose process has ended: the run store alone tells, not how the process ended. */
export async function verdict(store: RunStore, key: string, ending: string, log: string): Promise<CellEvent> {
  if (await finishedCell(store, key)) return { type: 'done', key, reused: false };
  let failure = await readFailure(store, key);
  if (!failure) {
    const tail = await readTail(log);
    failure = {
      schema: 'redef.cell-failure/1',
      key,
      code: 'cell-ended',
      message: `its process ended without a result, ${ending}${tail && `: ${tail}`}`,
      remedy: `Read ${log}; run the study again to try once more.`,
    };
    await writeFileAtomic(store.failure(key), `${JSON.stringify(failure, null, 2)}\n`);
  }
  return { type: 'failed', key, failure };
}

const tailBytes = 600;

/** The last lines of a log. */
async function readTail(log: string): Promise<string> {
  try {
    const file = await open(log);
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, tailBytes));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      const lines = bytes.toString('utf8').split('\n');
      if (size > tailBytes) lines.shift(); // cut in the middle
      return lines.join('\n').trim();
    } finally {
      await file.close();
    }
  } catch {
    return ''; // no log, no more to say
  }
}
