import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RecordOf, type RecordSchemaName, RedefError } from '@redef/core';
import { fileError, readRecords } from '@redef/core/files';

/**
 * The files of one table in a stage's folder: `folder/name`, or `folder/PROJECT/name` for every project, in code-unit
 * order of the project's name.
 *
 * @throws `RedefError` `table-missing`
 */
export async function tableFiles(folder: string, name: string): Promise<string[]> {
  const direct = join(folder, name);
  if (await exists(direct)) return [direct];
  let entries: string[];
  try {
    entries = (await readdir(folder)).sort();
  } catch (error) {
    throw fileError(error, folder);
  }
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry, name);
    if (await exists(path)) found.push(path);
  }
  if (found.length === 0) {
    throw new RedefError(`${folder}: no ${name} in it`, {
      code: 'table-missing',
      remedy: 'Name the folder that the stage before wrote, or run that stage first.',
    });
  }
  return found;
}

/** The files of a table as named inputs of a stage: `mined/changes.jsonl`, or `mined/PROJECT/changes.jsonl`. */
export async function tableInputs(label: string, folder: string, name: string): Promise<Record<string, string>> {
  const files = await tableFiles(folder, name);
  return Object.fromEntries(files.map((file) => [`${label}${file.slice(folder.length).replaceAll('\\', '/')}`, file]));
}

/** Streams the rows of a table over all its files. */
export async function* readTable<Name extends RecordSchemaName>(
  schema: Name,
  files: readonly string[],
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<RecordOf<Name>, void, undefined> {
  for (const file of files) yield* readRecords(schema, file, options);
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
