import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { ByteQueue } from './byte-queue.js';
import { gitExit, gitFailed, startGit } from './git-process.js';

/** A blob that is not there to be read, and why: a partial clone lacks it, or it is over the size limit. */
export type Absent = 'missing' | 'too-large';

const newline = 10;

/**
 * One long-lived `git cat-file --batch`. Requests are written at once and answered in order, so that git works on the
 * next blobs while the last ones are looked at.
 */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #queue: ByteQueue;
  readonly #exit: Promise<{ code: number | null; message: string }>;
  #last: Promise<unknown> = Promise.resolve();
  #pending: string[] = [];
  #flushing = false;

  constructor(
    private readonly gitDirectory: string,
    private readonly maxBytes: number,
  ) {
    this.#child = startGit(gitDirectory, ['cat-file', '--batch']);
    this.#exit = gitExit(this.#child, gitDirectory);
    this.#exit.catch(() => {});
    this.#child.stdin.on('error', () => {}); // told through the exit
    this.#queue = new ByteQueue(this.#child.stdout);
  }

  /**
   * Asks for an object by its id or `<commit>:<path>`. The bytes stay valid. Requests written together in one turn of the
   * event loop reach git in one write.
   *
   * @throws `RedefError` `git-failed` where git stopped
   */
  read(name: string): Promise<Buffer | Absent> {
    this.#pending.push(name);
    if (!this.#flushing) {
      this.#flushing = true;
      queueMicrotask(() => {
        this.#flushing = false;
        this.#child.stdin.write(`${this.#pending.join('\n')}\n`);
        this.#pending = [];
      });
    }
    const answer = this.#last.then(() => this.#answer());
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #answer(): Promise<Buffer | Absent> {
    const header = await this.#queue.until(newline);
    if (!header) return this.#failed();
    const text = header.toString('latin1');
    const [, type, length] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(text) ?? [];
    if (!type || !length) return 'missing'; // `<name> missing`, `<name> ambiguous`
    const size = Number(length);
    if (type !== 'blob' || size > this.maxBytes) {
      if (!(await this.#queue.discard(size + 1))) return this.#failed();
      return type === 'blob' ? 'too-large' : 'missing';
    }
    const bytes = await this.#queue.take(size + 1);
    if (!bytes) return this.#failed();
    return bytes.subarray(0, size);
  }

  async #failed(): Promise<never> {
    const { code, message } = await this.#exit;
    throw gitFailed(this.gitDirectory, 'cat-file', code, message);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    this.#child.stdout.destroy();
    this.#child.kill();
    await this.#exit.catch(() => {});
  }
}
