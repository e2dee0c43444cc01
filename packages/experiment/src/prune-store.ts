import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import * as v from 'valibot';
import { cellState } from './cells/run-store.js';
import type { StudyFolder } from './study-folder.js';
import { readPlan, storeOf } from './study-plan.js';

/** A cell of a store that no study asks for. */
export interface UnusedCell {
  key: string;
  /** What trained it and its seed, where that can be read. */
  engine?: string;
  seed?: number;
  /** Of all its files: its model, most of all. */
  bytes: number;
}

/**
 * Finds the cells of the studies' common store that none of them asks for, and takes them away where that is wanted. Cells
 * that some process works on stay. Studies that use the store and are not named here lose theirs.
 *
 * @param remove default false: only tells
 * @throws `RedefError` `invalid-option` where the studies have different stores; of `readPlan`
 */
export async function pruneStore(
  studies: readonly StudyFolder[],
  { remove = false }: { remove?: boolean } = {},
): Promise<UnusedCell[]> {
  const plans = await Promise.all(studies.map(async (study) => ({ study, plan: await readPlan(study) })));
  const stores = new Map(plans.map(({ study, plan }) => [storeOf(study, plan).root, storeOf(study, plan)]));
  const [store] = stores.values();
  if (!store || stores.size > 1) {
    throw new RedefError(`expected studies with one store, found ${[...stores.keys()].join(', ') || 'no study'}`, {
      code: 'invalid-option',
      remedy: 'Name all studies that share a store, and no others.',
    });
  }
  const wanted = new Set(plans.flatMap(({ plan }) => plan.cells.map(({ key }) => key)));
  const folder = join(store.root, 'cells');
  const unused: UnusedCell[] = [];
  for (const key of (await namesIn(folder)).sort()) {
    if (!/^[0-9a-f]{64}$/.test(key) || wanted.has(key)) continue;
    if ((await cellState(store, key)).state === 'claimed') continue;
    unused.push({ key, ...(await identity(store.cell(key))), bytes: await sizeOf(store.cell(key)) });
    if (!remove) continue;
    await rm(join(store.cell(key), 'manifest.json'), { force: true }); // half a cell is none
    await rm(store.cell(key), { recursive: true, force: true });
  }
  return unused;
}

const identitySchema = v.object({ spec: v.object({ engine: v.string() }), seed: v.number() });

async function identity(cell: string): Promise<Pick<UnusedCell, 'engine' | 'seed'>> {
  const text = await readFile(join(cell, 'cell.json'), 'utf8').catch(() => undefined);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), identitySchema), text);
  return parsed.success ? { engine: parsed.output.spec.engine, seed: parsed.output.seed } : {};
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}

/** None where nothing was run yet. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(error, folder);
  }
}
