import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ProgressEvent, RunOptions } from '@redef/core';
import { RedefError } from '@redef/core';
import { type SimpleGitProgressEvent, simpleGit } from 'simple-git';
import { gitEnvironment } from './git-process.js';

/** The kinds of address that are cloned from; others, `ext::` among them, can start programs. */
const address = /^(?:https?:\/\/|git:\/\/|ssh:\/\/|file:\/\/|[\w.-]+@[\w.-]+:)[^\s\0]+$/;

export interface CloneOptions extends RunOptions {
  /** Stop after so long without a sign of life from git, in milliseconds. Default five minutes. */
  stallMs?: number;
}

/**
 * Clones a repository's whole history as a bare repository, without prompts, hooks, templates, submodules or tags that no
 * branch reaches.
 *
 * @param url `https:`, `ssh:`, `git:` or `file:`, or `user@host:path`; a local path for a folder on this machine
 * @returns the absolute path of the new repository
 * @throws `RedefError` `invalid-url`, `folder-exists`, `credentials-needed` (also for a repository that is private or not
 *   there: servers do not tell which), `clone-failed`, `aborted`
 */
export async function cloneRepository(url: string, folder: string, options: CloneOptions = {}): Promise<string> {
  const { signal, onEvent, stallMs = 300_000 } = options;
  const target = resolve(folder);
  const local = !address.test(url) && !url.startsWith('-') && (await stat(url).catch(() => undefined))?.isDirectory();
  if (!address.test(url) && !local) {
    throw new RedefError(`${withoutPassword(url)}: not an address to clone from`, {
      code: 'invalid-url',
      remedy: 'Use an https:, ssh:, git: or file: address, user@host:path, or the path of a local repository.',
    });
  }
  if (await stat(target).catch(() => undefined)) {
    throw new RedefError(`${folder}: exists already`, {
      code: 'folder-exists',
      remedy: 'Name a folder that does not exist yet, or mine the repository that is there.',
    });
  }
  const environment = {
    ...gitEnvironment(),
    ...sshEnvironment(),
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes', // a key that asks for its passphrase is a refusal, not a prompt
  };
  const git = simpleGit({
    ...(signal ? { abort: signal } : {}),
    timeout: { block: stallMs },
    progress: (event) => onEvent?.(progress(event)),
    config: ['core.hooksPath=/dev/null', 'credential.helper=', 'protocol.ext.allow=never'],
    // each of these is set here to turn something off
    unsafe: {
      allowUnsafeAskPass: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafeSshCommand: true,
      allowUnsafeTemplateDir: true,
    },
    allowEnvironment: Object.keys(environment),
  }).env(environment);
  try {
    await git.clone(local ? resolve(url) : url, target, ['--bare', '--no-tags', '--template=', '--no-local']);
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw cloneError(error, withoutPassword(url), signal);
  }
  return target;
}

/** Where ssh finds the user's keys. */
function sshEnvironment(): Record<string, string> {
  const { HOME, SSH_AUTH_SOCK } = process.env;
  return { ...(HOME ? { HOME } : {}), ...(SSH_AUTH_SOCK ? { SSH_AUTH_SOCK } : {}) };
}

function progress({ stage, processed, total }: SimpleGitProgressEvent): ProgressEvent {
  return {
    type: 'progress',
    stage: `clone ${stage}`,
    done: processed,
    ...(total > 0 ? { total } : {}),
    unit: 'objects',
  };
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}

function cloneError(error: unknown, url: string, signal: AbortSignal | undefined): RedefError {
  if (signal?.aborted) {
    return new RedefError(`${url}: the clone was stopped`, {
      code: 'aborted',
      remedy: 'Run the same command again.',
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (
    /could not read (?:Username|Password)|Authentication failed|terminal prompts disabled|Permission denied|access denied|40[13]/i.test(
      message,
    )
  ) {
    return new RedefError(`${url}: the server asks for a password, or there is no such repository`, {
      code: 'credentials-needed',
      remedy: 'Check the address. A private repository: clone it yourself with your credentials and name its folder.',
    });
  }
  const [reason = 'git gave no reason'] = message.split('\n').filter((line) => /fatal|error/i.test(line));
  return new RedefError(`${url}: could not be cloned: ${reason.replaceAll(/(\w+:\/\/)[^/@\s]*@/g, '$1')}`, {
    code: 'clone-failed',
    remedy: 'Check the address and the network, and that there is room on the disk.',
  });
}
