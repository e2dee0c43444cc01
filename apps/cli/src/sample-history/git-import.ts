import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { RedefError } from '@redef/core';
import { type Commit, commitsOf, type SampleProject } from './history.js';

const run = promisify(execFile);
// Nothing of the user's own set-up may reach the hashes: no configuration, no template, no hook, no inherited variable.
const options = () => ({
  env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', TZ: 'UTC' },
});
const settings = ['-c', 'core.autocrlf=false', '-c', 'core.hooksPath=/dev/null'];

/** What HEAD names in a repository; `undefined` where there is none. */
export async function headOf(path: string): Promise<string | undefined> {
  try {
    return (await git('-C', path, '--git-dir=.git', 'rev-parse', '--verify', 'HEAD')).trim();
  } catch (error) {
    if (RedefError.isInstance(error)) throw error;
    return undefined;
  }
}

/** Writes a project's history into a new repository at `path` and checks out its last commit. */
export async function importHistory(project: SampleProject, path: string): Promise<void> {
  await git('init', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=main', path);
  const child = spawn('git', [...settings, '-C', path, 'fast-import', '--quiet'], options());
  try {
    await feed(child, project);
  } finally {
    child.kill();
  }
  await git('-C', path, 'checkout', '--quiet', '--force', 'main');
}

/** Commits name earlier ones by hash, so each hash is asked for before the next commit is written. */
async function feed(child: ChildProcess, project: SampleProject): Promise<void> {
  const stdin = child.stdin!;
  const errors: Buffer[] = [];
  child.stderr!.on('data', (chunk: Buffer) => errors.push(chunk));
  stdin.on('error', () => {}); // a broken pipe shows as the exit status
  const exited = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null)).on('close', resolve);
  });
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();

  const named = new Map<string, { hash: string; parent: string }>();
  let main = { mark: 0, hash: '' };
  let topic: { mark: number; commit: Commit } | undefined;
  for (const commit of commitsOf(project)) {
    const message = commit.message.replace(/\{([\w-]+)(\.parent)?(?::(\d+))?\}/g, (_, name: string, parent, digits) => {
      const { hash, parent: parentHash } = named.get(name)!;
      return (parent ? parentHash : hash).slice(0, Number(digits ?? 40));
    });
    // A merge brings the files of the side branch, which no commit on main touches in between.
    const files = commit.branch === 'merge' ? topic!.commit.files : commit.files;
    const mark = commit.index + 1; // fast-import has no mark 0
    stdin.write(
      [
        `commit refs/heads/main\nmark :${mark}\n${signatures(project, commit.index)}${data(`${message}\n`)}`,
        main.mark > 0 ? `from :${main.mark}\n` : '',
        commit.branch === 'merge' ? `merge :${topic!.mark}\n` : '',
        ...[...files].map(([file, text]) =>
          text === undefined ? `D ${file}\n` : `M 100644 inline ${file}\n${data(text)}`,
        ),
        `get-mark :${mark}\n`,
      ].join(''),
    );
    const answer = await answers.next();
    if (answer.done) break;
    const hash = answer.value;
    if (commit.name) named.set(commit.name, { hash, parent: main.hash });
    if (commit.branch === 'topic') topic = { mark, commit };
    else main = { mark, hash };
  }
  stdin.end();
  const status = await exited;
  if (status !== 0) {
    throw new RedefError(`git fast-import failed with status ${status}: ${Buffer.concat(errors).toString().trim()}`, {
      code: 'git-failed',
      remedy: 'Check that there is space in the folder and that git is 2.31 or newer.',
    });
  }
}

/** Working hours, one to three days apart; what a commit's author wrote some minutes before. */
function signatures({ start, authors }: SampleProject, index: number): string {
  const { name, email, offset } = authors[(index * index + 3 * index) % authors.length]!;
  const committed = start + index * 130_000 + ((index * 7919) % 97) * 600;
  const line = (role: string, time: number) => `${role} ${name} <${email}> ${time} ${offset}\n`;
  return line('author', committed - 60 * ((index * 31) % 53)) + line('committer', committed);
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

async function git(...args: string[]): Promise<string> {
  try {
    return (await run('git', [...settings, ...args], options())).stdout;
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? gitMissing(error) : error;
  }
}

function gitMissing(cause: unknown): RedefError {
  return new RedefError('git was not found', { code: 'git-missing', remedy: 'Install git 2.31 or newer.', cause });
}
