import { resolve } from 'node:path';
import { refuseOverwriting, type Writes } from '@redef/core/files';
import type { CliContext } from './context.js';

/**
 * Refuses, before anything is read or written, a command line whose output would take the place of an input. Paths are as
 * they were typed; `-` is the file that standard input comes from, and what was not given is passed over.
 *
 * @throws `RedefError` `would-overwrite`
 */
export async function keepInputs(
  cli: CliContext,
  reads: readonly (string | undefined)[],
  { files = [], folders = [] }: { [Kind in keyof Writes]: readonly (string | undefined)[] },
): Promise<void> {
  const at = (paths: readonly (string | undefined)[]): string[] =>
    paths.flatMap((path) => (path === undefined ? [] : [path === '-' ? '/dev/stdin' : resolve(cli.cwd, path)]));
  await refuseOverwriting(at(reads), { files: at(files), folders: at(folders) });
}
