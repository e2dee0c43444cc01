import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestFile } from '@redef/core/files';
import type { Cell } from './cell.js';
import { finishedCell, type RunStore } from './run-store.js';

/**
 * Opens again each finished cell whose model is gone, or is not as it was written, while a cell without a result is to be
 * shown to it. Training is deterministic: the cell comes to what it was.
 */
export async function reopenWithoutModel(cells: readonly Cell[], store: RunStore): Promise<void> {
  const wanted = new Set<string>();
  for (const { key, uses } of cells) {
    if (uses !== undefined && !wanted.has(uses) && !(await finishedCell(store, key))) wanted.add(uses);
  }
  for (const key of wanted) {
    const manifest = await finishedCell(store, key);
    for (const [name, digest] of Object.entries(manifest?.outputs ?? {})) {
      if (!name.startsWith('model/') || (await isAsWritten(join(store.cell(key), name), digest))) continue;
      await rm(join(store.cell(key), 'manifest.json'), { force: true });
      break;
    }
  }
}

const isAsWritten = (path: string, digest: string): Promise<boolean> =>
  digestFile(path).then(
    (found) => found === digest,
    () => false,
  );
