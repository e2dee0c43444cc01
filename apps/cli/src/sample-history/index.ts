import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, makeFolder } from '@redef/core/files';
import { headOf, importHistory } from './git-import.js';
import { hamper } from './hamper.js';
import type { SampleProject } from './history.js';
import { quill } from './quill.js';

export interface SampleRepository {
  project: string;
  /** Of the working tree. */
  path: string;
}

/**
 * Writes two small C projects with made-up histories as git repositories `FOLDER/quill` and `FOLDER/hamper`, offline, in
 * under a second. Their commit hashes are the same on every machine. One that is there already is left as it is.
 *
 * @throws `RedefError` `git-missing`, `git-failed`, `folder-not-empty`, or a file error that names the path
 */
export async function writeSampleHistory(folder: string): Promise<{ repositories: SampleRepository[] }> {
  const repositories: SampleRepository[] = [];
  for (const project of [quill, hamper]) {
    const path = join(folder, project.name);
    if ((await headOf(path)) !== project.head) await writeProject(project, path);
    repositories.push({ project: project.name, path });
  }
  return { repositories };
}

async function writeProject(project: SampleProject, path: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    await makeFolder(partial);
    await importHistory(project, partial);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw fileError(error, path);
    throw new RedefError(`${path}: something else than the sample history is there`, {
      code: 'folder-not-empty',
      remedy: 'Choose another folder.',
      cause: error,
    });
  }
}
