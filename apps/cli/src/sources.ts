import { join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { cloneRepository } from '@redef/mining';
import type { CliContext } from './context.js';

export interface Source {
  project: string;
  /** A local folder or a URL that git can clone. */
  location: string;
}

/** Reads `PATH`, `URL`, `NAME=PATH` or `NAME=URL`; without a name the last part of the location is the project's. */
export function parseSource(text: string): Source {
  const [, name, location] = /^(?:([\w.@+-]+)=)?(.+)$/s.exec(text) ?? [];
  if (location === undefined) {
    throw new RedefError('--repo needs a path or a URL', {
      code: 'invalid-option',
      remedy: 'Write --repo PATH, --repo URL or --repo NAME=PATH.',
    });
  }
  return { project: name ?? projectName(location), location };
}

export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location) || /^[\w.-]+@[\w.-]+:/.test(location);
}

/** The folder of a source: itself, or a bare clone of the URL, made once and used again. */
export async function localFolder(
  { project, location }: Source,
  cli: CliContext,
  cloneOf: (project: string) => string,
): Promise<string> {
  if (!isUrl(location)) return resolve(cli.cwd, location);
  return cloneRepository(location, cloneOf(project), { signal: cli.signal, onEvent: cli.onProgress });
}

export const cloneIn = (folder: string) => (project: string) => join(folder, `${project}.git`);

function projectName(location: string): string {
  const last =
    resolve('/', location.replaceAll('\\', '/').replace(/^[^:]*:(?:\/\/)?/, ''))
      .split('/')
      .at(-1) ?? '';
  return last.replace(/\.git$/, '').replace(/[^\w.@+-]/g, '-') || 'repository';
}
