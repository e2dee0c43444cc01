import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { RedefError } from '@redef/core';

/**
 * Settings that a repository may carry and that would start another program or change what is read. They are given on
 * the command line, where they win over the repository's own. Aliases need no line: git never lets one replace a command.
 */
const overrides = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.quotePath=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'diff.renames=false',
  'diff.ignoreSubmodules=none',
  'diff.orderFile=/dev/null',
  'log.showSignature=false',
  'log.mailmap=false',
  'log.follow=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.ext.allow=never',
  // a whole pack is mapped otherwise; on mpv the log then takes 143 MB in place of 260, and no longer
  'core.packedGitWindowSize=1m',
  'core.packedGitLimit=64m',
  'core.deltaBaseCacheLimit=32m',
];

/** The arguments that every call begins with. Replacement refs are off: commits are read as they are. */
export function gitArguments(gitDirectory: string): string[] {
  return [
    `--git-dir=${gitDirectory}`,
    '--no-pager',
    '--no-replace-objects',
    '--no-optional-locks',
    ...overrides.flatMap((setting) => ['-c', setting]),
  ];
}

/** An environment of its own: nothing inherited but the way to git, no prompts, no user or system settings. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none', // a partial clone must not fetch what it lacks: its configuration names the program to run
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** Starts git on a repository; its end is known through {@link gitExit}. */
export function startGit(gitDirectory: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn('git', [...gitArguments(gitDirectory), ...args], {
    env: gitEnvironment(),
    cwd: gitDirectory,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** Exit code and the last of the error output of a git started on a repository. */
export function gitExit(
  child: ChildProcessWithoutNullStreams,
  gitDirectory: string,
): Promise<{ code: number | null; message: string }> {
  let message = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    message = (message + text).slice(-2000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') reject(cause);
      else reject(existsSync(gitDirectory) ? gitMissing(cause) : repositoryGone(gitDirectory, cause));
    });
    child.once('close', (code) => resolve({ code, message: message.trim() }));
  });
}

function gitMissing(cause: Error): RedefError {
  return new RedefError('git could not be started', {
    code: 'git-missing',
    remedy: 'Install git 2.30 or newer and make sure it is on PATH.',
    cause,
  });
}

function repositoryGone(gitDirectory: string, cause: Error): RedefError {
  return new RedefError(`${gitDirectory}: no longer there`, {
    code: 'repository-missing',
    remedy: 'It was moved or deleted during the run: name where it is now, or clone it again.',
    cause,
  });
}

/** Runs a short git command to its end and gives its standard output. `undefined` where git says no (exit code 1 to 127, 128). */
export async function askGit(
  gitDirectory: string,
  args: readonly string[],
  input?: string,
): Promise<string | undefined> {
  const child = startGit(gitDirectory, args);
  const exit = gitExit(child, gitDirectory);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {}); // git may end before it has read all
  child.stdin.end(input);
  const { code } = await exit;
  return code === 0 ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** The error for a git that stopped in the middle of a run. */
export function gitFailed(gitDirectory: string, what: string, code: number | null, message: string): RedefError {
  return new RedefError(`${gitDirectory}: git ${what} stopped with code ${code}: ${message || 'no message'}`, {
    code: 'git-failed',
    remedy:
      'Check that the repository is whole (`git fsck`) and was not moved, deleted or rewritten during the run, then run again.',
  });
}
