import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { askGit } from './git-process.js';

/** A repository that is there, has commits and can be read. */
export interface Repository {
  /** Absolute path of its git directory. */
  gitDirectory: string;
  /** The name of its folder: the default of `project`. */
  name: string;
  /** Objects may be absent: a partial clone. */
  partial: boolean;
}

/**
 * Opens a repository: a work tree, a bare repository or a `.git` folder.
 *
 * @throws `RedefError` `repository-missing`, `not-a-repository`, `empty-repository` or `shallow-repository`
 */
export async function openRepository(path: string): Promise<Repository> {
  const folder = resolve(path);
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new RedefError(`${path}: ${found ? 'a file, not a folder' : 'no such folder'}`, {
      code: 'repository-missing',
      remedy: 'Name the folder of a git repository, or clone one first.',
    });
  }
  const gitDirectory = (await gitDirectoryOf(`${folder}/.git`)) ?? (await gitDirectoryOf(folder));
  if (!gitDirectory) {
    throw new RedefError(`${path}: not a git repository`, {
      code: 'not-a-repository',
      remedy: 'Name the top folder of a work tree, a bare repository or a .git folder.',
    });
  }
  if ((await askGit(gitDirectory, ['rev-parse', '--is-shallow-repository']))?.trim() === 'true') {
    throw new RedefError(`${path}: a shallow clone, whose older commits are missing`, {
      code: 'shallow-repository',
      remedy: 'Run `git fetch --unshallow` in it, or clone it whole.',
    });
  }
  if (!(await hasCommits(gitDirectory))) {
    throw new RedefError(`${path}: the repository has no commits`, {
      code: 'empty-repository',
      remedy: 'Fetch or commit something first.',
    });
  }
  const promisor = await askGit(gitDirectory, ['config', '--get-regexp', '^remote\\..*\\.promisor$']);
  const name = basename(folder) === '.git' ? basename(resolve(folder, '..')) : basename(folder).replace(/\.git$/, '');
  return { gitDirectory, name, partial: Boolean(promisor) };
}

async function hasCommits(gitDirectory: string): Promise<boolean> {
  const ref = await askGit(gitDirectory, ['for-each-ref', '--count=1']);
  return Boolean(ref || (await askGit(gitDirectory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])));
}

async function gitDirectoryOf(folder: string): Promise<string | undefined> {
  if (!(await stat(folder).catch(() => undefined))) return undefined;
  const gitDirectory = (await stat(folder)).isDirectory() ? folder : await linkedGitDirectory(folder);
  if (!gitDirectory) return undefined;
  const answer = await askGit(gitDirectory, ['rev-parse', '--git-common-dir']).catch(() => undefined);
  return answer === undefined ? undefined : gitDirectory;
}

/** A `.git` file of a worktree or submodule names the folder: `gitdir: <path>`. */
async function linkedGitDirectory(file: string): Promise<string | undefined> {
  const { readFile } = await import('node:fs/promises');
  const [, target] = /^gitdir: (.+?)\s*$/.exec(await readFile(file, 'utf8').catch(() => '')) ?? [];
  return target ? resolve(file, '..', target) : undefined;
}

const refName = /^[\w@][\w./@+{}^~-]*$/;

/**
 * The commit that a name stands for, as its full id.
 *
 * @throws `RedefError` `invalid-revision` for a name that git could take for an option or a pattern, `missing-commit`
 */
export async function resolveCommit(repository: Repository, name: string): Promise<string> {
  if (!refName.test(name) || name.includes('..')) {
    throw new RedefError(`${JSON.stringify(name)}: not the name of a branch, tag or commit`, {
      code: 'invalid-revision',
      remedy: 'Use the name of a branch or tag, or a commit id.',
    });
  }
  const id = await askGit(repository.gitDirectory, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  ]);
  if (!id) {
    throw new RedefError(`${repository.name}: no commit is named ${JSON.stringify(name)}`, {
      code: 'missing-commit',
      remedy: 'List what there is with `git branch --all` and `git tag`; fetch it if it is missing.',
    });
  }
  return id.trim();
}

/** Both ends of a range `A..B`, `A..`, `..B` or `B`, as full ids. */
export async function resolveRange(
  repository: Repository,
  { range, branch = 'HEAD' }: { range?: string | undefined; branch?: string | undefined },
): Promise<{ head: string; exclude: string | undefined }> {
  if (range === undefined) return { head: await resolveCommit(repository, branch), exclude: undefined };
  if (range.includes('...')) {
    throw new RedefError(`${range}: a symmetric difference is not a range of a history`, {
      code: 'invalid-revision',
      remedy: 'Use two dots: A..B.',
    });
  }
  const [from, to] = range.includes('..') ? (range.split('..', 2) as [string, string]) : ['', range];
  return {
    head: await resolveCommit(repository, to || branch),
    exclude: from ? await resolveCommit(repository, from) : undefined,
  };
}
