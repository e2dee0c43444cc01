import { throwIfAborted } from '@redef/core';
import { decodePath, decodeText } from '../text/decode.js';
import { ByteQueue } from './byte-queue.js';
import { gitExit, gitFailed, startGit } from './git-process.js';

/** One entry of a commit's raw diff against its first parent. */
export interface FileChange {
  oldMode: string;
  newMode: string;
  oldBlob: string;
  newBlob: string;
  /** A added, D deleted, M modified, T another type. Renames are not detected here. */
  status: string;
  path: string;
}

export interface Commit {
  hash: string;
  parents: readonly string[];
  /** `Name <email>`. */
  author: string;
  /** ISO 8601 with the author's own offset. */
  authoredAt: string;
  committedAt: string;
  /** Seconds since 1970. */
  committedSeconds: number;
  message: string;
  /** The message was not valid in the encoding that the commit declares. */
  messageRepaired: boolean;
  /** Empty for merges and roots: they are not looked into. */
  files: readonly FileChange[];
  /** Files of the commit; more than `files` holds where it was cut. */
  fileCount: number;
}

export interface LogOptions {
  /** What to list; already resolved to full object ids: `<id>` or `<id>` and `^<id>`. */
  revisions: readonly string[];
  /** Full ids: these commits alone, in this order, and not what they reach. `revisions` is empty then. */
  only?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** Files of one commit that are kept: a larger one only says how many there are. */
const maxFiles = 20_000;

// Fields end with NUL, which neither a name, a date nor a message can hold, so no message can pass for another field.
const format = 'tformat:%H%x00%P%x00%an <%ae>%x00%aI%x00%cI%x00%ct%x00%B';
const fieldCount = 7;

/** So many commits are asked of one git: it keeps a few hundred bytes of each until it ends. */
const commitsPerProcess = 50_000;

const diffTree = [
  'diff-tree',
  '--stdin',
  '--always',
  '-r',
  '--raw',
  '-z',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-show-signature',
  '--no-notes',
  '--encoding=UTF-8',
  `--format=${format}`,
];

/**
 * Streams the history, parents before children, without holding it here or there: `git rev-list` says the order from the
 * graph alone, and a `git diff-tree` reads commits one by one. (One `git log` in that order would keep all messages in memory.)
 */
export async function* streamLog(
  gitDirectory: string,
  { revisions, only, signal }: LogOptions,
): AsyncGenerator<Commit, void, undefined> {
  let asked: string[] = [];
  for await (const id of only ?? listCommits(gitDirectory, revisions)) {
    asked.push(id);
    if (asked.length < commitsPerProcess) continue;
    yield* readCommits(gitDirectory, asked, signal);
    asked = [];
  }
  if (asked.length > 0) yield* readCommits(gitDirectory, asked, signal);
}

async function* listCommits(gitDirectory: string, revisions: readonly string[]): AsyncGenerator<string> {
  const args = ['rev-list', '--topo-order', '--reverse', '--end-of-options', ...revisions, '--'];
  yield* run(gitDirectory, args, [], async function* (queue) {
    for (let line = await queue.until(10); line; line = await queue.until(10)) yield line.toString('latin1');
  });
}

async function* readCommits(
  gitDirectory: string,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Commit> {
  yield* run(gitDirectory, diffTree, ids, async function* (queue) {
    for (const id of ids) {
      throwIfAborted(signal);
      // git passes over a commit that is not there
      const absent = `commit ${id} cannot be read`;
      if ((await queue.peek()) < 0) throw new TruncatedLog(absent);
      const commit = await readCommit(queue);
      if (commit.hash !== id) throw gitFailed(gitDirectory, 'diff-tree', 0, absent);
      yield commit;
    }
  });
}

/** Starts a git, hands it lines and its output on; an end that is not clean is an error, and a `break` ends it. */
async function* run<T>(
  gitDirectory: string,
  args: readonly string[],
  lines: readonly string[],
  read: (queue: ByteQueue) => AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
  const child = startGit(gitDirectory, args);
  const exit = gitExit(child, gitDirectory);
  exit.catch(() => {});
  child.stdin.on('error', () => {}); // git may end before it has read all
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  let whole = false;
  try {
    try {
      yield* read(new ByteQueue(child.stdout));
    } catch (error) {
      if (!(error instanceof TruncatedLog)) throw error;
      const { code, message } = await exit;
      throw gitFailed(gitDirectory, args[0]!, code, message || error.message);
    }
    const { code, message } = await exit;
    if (code !== 0) throw gitFailed(gitDirectory, args[0]!, code, message);
    whole = true;
  } finally {
    if (!whole) {
      child.stdout.destroy();
      child.kill();
      await exit.catch(() => {});
    }
  }
}

class TruncatedLog extends Error {}

async function readCommit(queue: ByteQueue): Promise<Commit> {
  const fields: Buffer[] = [];
  for (let i = 0; i < fieldCount; i++) {
    const field = await queue.until(0);
    if (!field) throw new TruncatedLog();
    fields.push(Buffer.from(field));
  }
  const [hash, parents, author, authoredAt, committedAt, seconds, body] = fields as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  const files: FileChange[] = [];
  let fileCount = 0;
  for (;;) {
    const next = await queue.peek();
    if (next === 10 || next === 0) {
      queue.skip(1);
      continue;
    }
    if (next !== 58) break; // a raw entry begins with ':', the next commit with a hex digit
    const entry = await queue.until(0);
    if (!entry) throw new TruncatedLog();
    const meta = entry.toString('latin1', 1).split(' ');
    const path = await queue.until(0);
    if (!path) throw new TruncatedLog();
    fileCount++;
    if (files.length >= maxFiles) continue;
    files.push({
      oldMode: meta[0]!,
      newMode: meta[1]!,
      oldBlob: meta[2]!,
      newBlob: meta[3]!,
      status: meta[4]!,
      path: decodePath(path),
    });
  }
  const message = decodeText(body);
  return {
    hash: hash.toString('latin1'),
    parents: parents.length > 0 ? parents.toString('latin1').split(' ') : [],
    author: decodeText(author).text,
    authoredAt: authoredAt.toString('latin1'),
    committedAt: committedAt.toString('latin1'),
    committedSeconds: Number(seconds.toString('latin1')),
    message: message.text.replace(/\n+$/, ''),
    messageRepaired: message.decoding !== undefined,
    files,
    fileCount,
  };
}
