import { rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type ProgressEvent, RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { fileError, makeFolder } from '@redef/core/files';
import { simpleGit } from 'simple-git';
import { askGit, gitEnvironment } from './git-process.js';

const allowedUrl = /^(?:(https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:)/i;

/** Given to the clone, where they win over what it brings: no program is started, nothing but its objects is fetched. */
const cloneConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'credential.helper=',
  'fetch.recurseSubmodules=false',
  'submodule.recurse=false',
  'transfer.bundleURI=false', // a server may name other addresses to fetch from
  'gc.auto=0',
  'maintenance.auto=false',
];
/** Without the template's hooks; replacement refs and the like come along, and are not looked at (`--no-replace-objects`). */
const cloneOptions = ['--mirror', '--quiet', '--progress', '--template=', '--no-recurse-submodules'];

/**
 * Clones a repository whole, bare and without asking anything: no prompt, no credential helper, no hook. The folder
 * appears once the clone is complete; one that holds a clone of the same URL already is used as it is.
 *
 * @returns the folder's absolute path
 * @throws `RedefError` `invalid-url`, `clone-needs-password`, `clone-failed`, `clone-of-another-url`, `git-missing`,
 *   `aborted`, or a file error
 */
export async function cloneRepository(
  url: string,
  folder: string,
  { signal, onEvent }: RunOptions<ProgressEvent> = {},
): Promise<string> {
  const allowed = allowedUrl.exec(url);
  if (!allowed) {
    throw new RedefError(`${withoutSecrets(url)}: not a URL to clone from`, {
      code: 'invalid-url',
      remedy: 'Use an https, ssh, git or file URL, or name a local folder instead.',
    });
  }
  throwIfAborted(signal);
  const target = resolve(folder);
  if (await stat(target).catch(() => undefined)) return reuse(url, target);

  const partial = `${target}.${process.pid}.partial`;
  try {
    await makeFolder(dirname(target));
    const environment = cloneEnvironment(allowed[1]?.toLowerCase() ?? 'ssh');
    const git = simpleGit({
      baseDir: dirname(target),
      allowEnvironment: Object.keys(environment),
      config: cloneConfig,
      // ours: no settings files, no questions, no hooks
      unsafe: {
        allowUnsafeConfigPaths: true,
        allowUnsafeCredentialHelper: true,
        allowUnsafeFsMonitor: true,
        allowUnsafeHooksPath: true,
        allowUnsafeSshCommand: true,
        allowUnsafeTemplateDir: true,
      },
      ...(signal && { abort: signal }),
      progress: ({ stage, processed, total }) =>
        onEvent?.({ type: 'progress', stage: `clone ${stage}`, done: processed, total, unit: 'objects' }),
    });
    await git.env(environment).clone(url, partial, cloneOptions);
    await rename(partial, target);
    return target;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throwIfAborted(signal);
    throw cloneError(error, url, target);
  }
}

/**
 * Nothing may ask: git is told so, and ssh takes keys and agents only. A redirection stays within the URL's own protocol,
 * or goes from http up to https.
 */
function cloneEnvironment(protocol: string): Record<string, string> {
  const { GIT_ASKPASS: _, SSH_ASKPASS: __, ...environment } = gitEnvironment();
  const agent = process.env.SSH_AUTH_SOCK;
  return {
    ...environment,
    GIT_ALLOW_PROTOCOL: protocol === 'http' ? 'http:https' : protocol,
    HOME: homedir(), // ssh keys
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    ...(agent ? { SSH_AUTH_SOCK: agent } : {}),
  };
}

async function reuse(url: string, target: string): Promise<string> {
  const origin = (await askGit(target, ['config', '--get', 'remote.origin.url']))?.trim();
  if (origin === url) return target;
  throw new RedefError(`${target}: holds ${origin ? `a clone of ${withoutSecrets(origin)}` : 'something else'}`, {
    code: 'clone-of-another-url',
    remedy: 'Remove that folder or choose another.',
  });
}

function cloneError(error: unknown, url: string, target: string): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const told = fileError(error, target);
  if (told !== error) return told;
  const asked = /could not read (username|password)|authentication failed|permission denied|terminal prompts disabled/i;
  if (asked.test(message)) {
    return new RedefError(`${withoutSecrets(url)}: the server asks for a password or key`, {
      code: 'clone-needs-password',
      remedy: 'Clone it yourself where git can log in, and name the local folder.',
    });
  }
  const [line = 'no message'] = /^(?:fatal|error|ERROR):.*$/m.exec(message) ?? message.trim().split('\n').slice(-1);
  return new RedefError(`${withoutSecrets(url)}: could not be cloned: ${line.replaceAll(url, withoutSecrets(url))}`, {
    code: 'clone-failed',
    remedy: 'Check the URL and the network, then run the same command again.',
  });
}

/** A URL as it may be shown: without the user and password that it can hold. */
function withoutSecrets(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
