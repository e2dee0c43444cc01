import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell } from './cell.js';
import { finishedCell, type RunStore } from './run-store.js';

/**
 * Opens again each finished cell whose model is gone while a cell without a result is to be shown to it. Training is
 * deterministic: the cell comes to what it was.
 */
export async function reopenWithoutModel(cells: readonly Cell[], store: RunStore): Promise<void> {
  const wanted = new Set<string>();
  for (const { key, uses } of cells) {
    if (uses !== undefined && !wanted.has(uses) && !(await finishedCell(store, key))) wanted.add(uses);
  }
  for (const key of wanted) {
    const manifest = await finishedCell(store, key);
    const files = Object.keys(manifest?.outputs ?? {}).filter((name) => name.startsWith('model/'));
    const there = await Promise.all(files.map((name) => isThere(join(store.cell(key), name))));
    if (there.includes(false)) await rm(join(store.cell(key), 'manifest.json'), { force: true });
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
