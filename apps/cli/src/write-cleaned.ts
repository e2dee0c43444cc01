import { join } from 'node:path';
import type { RunOptions } from '@redef/core';
import { writeJsonl } from '@redef/core/files';
import { type Row, writeRows } from '@redef/datasets';
import { type DataSets, type RemoveDuplicatesOptions, type RowDecision, removeDuplicates } from '@redef/dedup';

/** Rows kept and removed of one set, and the file of the kept ones. */
export interface CleanedSet {
  name: string;
  file: string;
  kept: number;
  removed: number;
}

/** Every file that {@link writeCleaned} may write. */
export function cleanedFiles(folder: string, extensions: Readonly<Record<string, string>>): string[] {
  return Object.entries(extensions).flatMap(([name, extension]) =>
    [extension, 'jsonl', 'removed.jsonl'].map((ending) => join(folder, `${name}.${ending}`)),
  );
}

/**
 * Writes what a removal policy leaves of each set into `folder/NAME.EXTENSION`, and what it removes, with its reason and
 * twin, into `folder/NAME.removed.jsonl`. Memory holds the list of one set's removed rows, without their texts.
 *
 * @param extensions by set: `csv`, `jsonl.gz`, `parquet`
 */
export async function writeCleaned(
  sets: DataSets,
  folder: string,
  extensions: Readonly<Record<string, string>>,
  options: RemoveDuplicatesOptions,
): Promise<CleanedSet[]> {
  const { signal, onEvent } = options;
  const run: RunOptions = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  const decisions = removeDuplicates(sets, options);
  const names = Object.keys(sets);
  const cleaned: CleanedSet[] = [];
  let next = await decisions.next();
  try {
    for (const name of options.policy === 'cut-from-train' ? [...names].reverse() : names) {
      const removed: Omit<RowDecision, 'value' | 'removed'>[] = [];
      const kept = async function* (): AsyncGenerator<Row> {
        for (; !next.done && next.value.set === name; next = await decisions.next()) {
          const { value, removed: cut, ...place } = next.value;
          if (cut) removed.push({ ...place, ...cut });
          else yield value as Row;
        }
      };
      // A CSV file names its columns even where no row is left; a set that never had a row cannot.
      const columns = !next.done && next.value.set === name ? Object.keys(next.value.value) : undefined;
      const extension = columns ? (extensions[name] ?? 'jsonl') : 'jsonl';
      const file = `${name}.${extension}`;
      const written = await writeRows(join(folder, file), kept(), {
        ...run,
        ...(/^[ct]sv/.test(extension) && columns && { columns }),
      });
      await writeJsonl(join(folder, `${name}.removed.jsonl`), removed, run);
      cleaned.push({ name, file, kept: written, removed: removed.length });
    }
  } finally {
    await decisions.return();
  }
  return names.map((name) => cleaned.find((set) => set.name === name)!);
}
