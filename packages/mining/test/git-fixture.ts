import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FixtureCommit {
  message: string | Buffer;
  /** Content by path; `null` deletes. A `{ mode, content }` for links, submodules (content is the id) and executables. */
  files?: Record<string, string | Buffer | null | { mode: string; content: string | Buffer }>;
  /** Marks of other parents, 1-based by order of the commits. */
  merge?: number[];
  /** Mark of the first parent; default the commit before. 0 for a root. */
  from?: number;
  branch?: string;
  author?: string;
  /** Seconds since 2020-01-01; default an hour a commit. */
  at?: number;
  authoredAt?: number;
  /** Of both times; default +0200 of the author's, -0100 of the committer's. */
  zone?: string;
}

const epoch = 1_577_836_800;
const environment = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };

/** A repository written by `git fast-import`: fixed authors and dates, so its object ids never change. */
export class FixtureRepository {
  readonly path = mkdtempSync(join(tmpdir(), 'redef-fixture-'));
  /** Ids by order of the commits. */
  ids: string[] = [];

  constructor() {
    this.git('init', '--quiet', '--bare', '--initial-branch=main');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** Adds commits after those that are there. */
  commit(...commits: FixtureCommit[]): this {
    const parts: Buffer[] = [];
    const write = (text: string | Buffer): void => void parts.push(Buffer.from(text as string));
    const data = (content: string | Buffer): void => {
      const bytes = Buffer.from(content as string);
      write(`data ${bytes.length}\n`);
      parts.push(bytes, Buffer.from('\n'));
    };
    const first = this.ids.length + 1;
    for (const [offset, commit] of commits.entries()) {
      const mark = first + offset;
      const branch = commit.branch ?? 'main';
      const at = epoch + (commit.at ?? mark * 3600);
      const author = commit.author ?? 'A U Thor <author@example.org>';
      write(
        `commit refs/heads/${branch}\nmark :${mark}\nauthor ${author} ${commit.authoredAt === undefined ? at : epoch + commit.authoredAt} ${commit.zone ?? '+0200'}\ncommitter C O Mitter <committer@example.org> ${at} ${commit.zone ?? '-0100'}\n`,
      );
      data(commit.message);
      const parent = commit.from ?? mark - 1;
      if (parent > 0) write(`from ${this.ids[parent - 1] ?? `:${parent}`}\n`);
      for (const other of commit.merge ?? []) write(`merge ${this.ids[other - 1] ?? `:${other}`}\n`);
      for (const [path, content] of Object.entries(commit.files ?? {})) {
        const quoted = `"${path.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`;
        if (content === null) write(`D ${quoted}\n`);
        else if (typeof content === 'object' && !Buffer.isBuffer(content)) {
          if (content.mode === '160000') write(`M 160000 ${String(content.content)} ${quoted}\n`);
          else {
            write(`M ${content.mode} inline ${quoted}\n`);
            data(content.content);
          }
        } else {
          write(`M 100644 inline ${quoted}\n`);
          data(content);
        }
      }
      write('\n');
    }
    execFileSync('git', ['fast-import', '--quiet', '--force', '--date-format=raw-permissive', '--export-marks=marks'], {
      cwd: this.path,
      env: environment,
      input: Buffer.concat(parts),
    });
    const marks = execFileSync('cat', ['marks'], { cwd: this.path, encoding: 'utf8' });
    for (const line of marks.trim().split('\n')) {
      const [mark, id] = line.slice(1).split(' ') as [string, string];
      this.ids[Number(mark) - 1] = id;
    }
    return this;
  }

  /** The id of the n-th commit, 1-based. */
  id(mark: number): string {
    return this.ids[mark - 1]!;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A C file of functions, each given as its name and the lines of its body. */
export function source(functions: Record<string, readonly string[] | string>): string {
  return Object.entries(functions)
    .map(
      ([name, body]) =>
        `int ${name}(int a)\n{\n${[body]
          .flat()
          .map((line) => `    ${line}\n`)
          .join('')}}\n`,
    )
    .join('\n');
}

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** All rows and what the generator returns. */
export async function collectAll<T, R>(rows: AsyncGenerator<T, R>): Promise<{ rows: T[]; summary: R }> {
  const all: T[] = [];
  for (;;) {
    const next = await rows.next();
    if (next.done) return { rows: all, summary: next.value };
    all.push(next.value);
  }
}
