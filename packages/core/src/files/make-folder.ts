import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from './file-error.js';

/**
 * Makes a folder and those above it where they are missing. Node's own `mkdir` with `recursive` never returns for a
 * folder below `/proc` (Node 20.20), which answers that a parent is missing although it is there.
 *
 * @throws `RedefError` of {@link fileError}
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' && missing.length > 0) break;
      if (code === 'EEXIST') return;
      if (code !== 'ENOENT' || folder === dirname(folder)) throw fileError(error, path);
      missing.push(folder);
    }
  }
  for (const folder of missing.reverse()) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw fileError(error, path);
    });
  }
}
