import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, type RecordOf, type RecordSchemaName, RedefError, UniqueIds } from '@redef/core';
import { fileError, readJsonlLines } from '@redef/core/files';

/**
 * The files of one table in a stage's folder: `folder/name`, or `folder/PROJECT/name` for every project, in code-unit
 * order of the project's name.
 *
 * @param projects these and no others, each of which must be there: a folder may hold more than a study asks for
 * @throws `RedefError` `table-missing`
 */
export async function tableFiles(folder: string, name: string, projects?: readonly string[]): Promise<string[]> {
  const direct = join(folder, name);
  if (!projects && (await exists(direct))) return [direct];
  let entries: string[];
  try {
    entries = projects ? [...projects].sort() : (await readdir(folder)).sort();
  } catch (error) {
    throw fileError(error, folder);
  }
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry, name);
    if (await exists(path)) found.push(path);
    else if (projects) throw tableMissing(join(folder, entry), name);
  }
  if (found.length === 0) throw tableMissing(folder, name);
  return found;
}

function tableMissing(folder: string, name: string): RedefError {
  return new RedefError(`${folder}: no ${name} in it`, {
    code: 'table-missing',
    remedy: 'Name the folder that the stage before wrote, or run that stage first.',
  });
}

/** The files of a table as named inputs of a stage: `mined/changes.jsonl`, or `mined/PROJECT/changes.jsonl`. */
export async function tableInputs(
  label: string,
  folder: string,
  name: string,
  projects?: readonly string[],
): Promise<Record<string, string>> {
  const files = await tableFiles(folder, name, projects);
  return Object.fromEntries(files.map((file) => [`${label}${file.slice(folder.length).replaceAll('\\', '/')}`, file]));
}

/** More lines than a file has. */
const manyLines = 2 ** 40;

/**
 * Streams the rows of a table over all its files. Memory holds their ids.
 *
 * @throws `RedefError` `duplicate-id` where two rows have one, since tables are joined by it
 */
export async function* readTable<Name extends RecordSchemaName>(
  schema: Name,
  files: readonly string[],
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<RecordOf<Name>, void, undefined> {
  const ids = new UniqueIds((place) => `${files[Math.floor(place / manyLines)]}:${place % manyLines}`);
  for (const [index, file] of files.entries()) {
    for await (const { line, value } of readJsonlLines(file, options)) {
      const row = parseRecord(schema, value, `${file}:${line}`);
      ids.add(row.id, index * manyLines + line);
      yield row;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
