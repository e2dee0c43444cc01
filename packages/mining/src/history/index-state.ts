import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';

/** One extension of the index: the commits between two heads. */
export interface IndexSegment {
  head: string;
  /** Commits and bytes of `commits.jsonl` once this segment's are in it. */
  commits: number;
  bytes: number;
  /** What was counted of these commits. */
  counts: Record<string, number>;
  /** All its touched functions are on disk. */
  complete: boolean;
  /** Bytes of their files then. */
  functionBytes?: number;
}

/** `index.json`: written whole after each step that a later run can build on. */
export interface IndexState {
  schema: 'redef.mining-index/2';
  /** What the rows depend on: another configuration needs another index. */
  config: string;
  segments: IndexSegment[];
}

export const indexVersion = 'redef.mining-index/2';

export async function readIndexState(folder: string): Promise<IndexState | undefined> {
  const path = join(folder, 'index.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
  try {
    const state = JSON.parse(text) as Partial<IndexState>;
    if (state.schema === indexVersion && typeof state.config === 'string' && Array.isArray(state.segments)) {
      return state as IndexState;
    }
  } catch {
    // told below
  }
  throw new RedefError(`${path}: not an index of this version`, {
    code: 'invalid-index',
    remedy: 'Name an empty folder, or remove this one to have it built again.',
  });
}

/** Bytes of the touched functions and renames of a segment. */
export async function functionBytes(folder: string, segment: number): Promise<number> {
  return bytesOf(folder, new RegExp(`^(?:touches-${segment}-\\d+|renames-${segment})\\.jsonl$`));
}

/** @throws `RedefError` `invalid-index` where files that the index speaks of are gone or shorter than they were */
export async function checkFiles(folder: string, { segments }: IndexState): Promise<void> {
  let whole = (await bytesOf(folder, /^commits\.jsonl$/)) >= (segments.at(-1)?.bytes ?? 0);
  for (const [index, segment] of segments.entries())
    whole &&= !segment.complete || (await functionBytes(folder, index)) === segment.functionBytes;
  if (whole) return;
  throw new RedefError(`${folder}: damaged: a file of the index is gone or was cut off`, {
    code: 'invalid-index',
    remedy: 'Remove the index folder to have it built again.',
  });
}

async function bytesOf(folder: string, names: RegExp): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) if (names.test(name)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}

export async function writeIndexState(folder: string, state: IndexState): Promise<void> {
  await writeFileAtomic(join(folder, 'index.json'), `${JSON.stringify(state, null, 2)}\n`);
}
