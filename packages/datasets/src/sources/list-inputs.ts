import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { formatOfName } from '../format.js';

/**
 * What rows are read from: a file, a folder, several of them, or a byte stream such as standard input. A folder stands
 * for the `.csv`, `.tsv`, `.jsonl`, `.ndjson`, `.parquet` and `.pq` files in it, each possibly `.gz`, hidden ones left
 * out, at any depth, in the code-unit order of their paths.
 */
export type RowSource = string | readonly string[] | AsyncIterable<Uint8Array>;

export interface InputFile {
  path: string;
  bytes: number;
}

/** The files that paths stand for. @throws `RedefError` for a missing one and for a folder without data files */
export async function listInputs(paths: readonly string[]): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  for (const path of paths) {
    try {
      const found = await stat(path);
      if (!found.isDirectory()) {
        inputs.push({ path, bytes: found.isFile() ? found.size : 0 });
        continue;
      }
      const files = (await readdir(path, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory() && formatOfName(entry.name) !== undefined)
        .map((entry) => join(entry.parentPath, entry.name))
        .filter(
          (file) =>
            !file
              .slice(path.length)
              .split(/[/\\]/)
              .some((part) => part.startsWith('.')),
        )
        .sort();
      if (files.length === 0) {
        throw new RedefError(`${path}: no CSV, JSONL or Parquet file in this folder`, {
          code: 'no-data-files',
          remedy: 'Check the path, or name the files themselves.',
        });
      }
      for (const file of files) {
        const { size } = await stat(file).catch((error: unknown) => {
          throw fileError(error, file);
        });
        inputs.push({ path: file, bytes: size });
      }
    } catch (error) {
      throw fileError(error, path);
    }
  }
  return inputs;
}
