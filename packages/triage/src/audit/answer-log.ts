import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, makeFolder } from '@redef/core/files';
import * as v from 'valibot';

const entrySchema = v.variant('kind', [
  v.object({
    schema: v.literal('redef.audit-entry/1'),
    kind: v.literal('answer'),
    item: v.string(),
    question: v.string(),
    value: v.string(),
    at: v.optional(v.string()),
  }),
  v.object({
    schema: v.literal('redef.audit-entry/1'),
    kind: v.literal('note'),
    item: v.string(),
    text: v.string(),
    at: v.optional(v.string()),
  }),
  v.object({ schema: v.literal('redef.audit-entry/1'), kind: v.literal('undo'), at: v.optional(v.string()) }),
]);
/** One act of a reviewer, in the order of acting. An undo takes back the last act that still stands. */
export type AuditEntry = v.InferOutput<typeof entrySchema>;

/** What a reviewer's acts come to. */
export interface Review {
  /** By item, by question. */
  answers: ReadonlyMap<string, Readonly<Record<string, string>>>;
  notes: ReadonlyMap<string, string>;
  /** The item of the act that an undo would take back. */
  last: string | undefined;
}

export function replay(entries: readonly AuditEntry[]): Review {
  const standing: Exclude<AuditEntry, { kind: 'undo' }>[] = [];
  for (const entry of entries) {
    if (entry.kind === 'undo') standing.pop();
    else standing.push(entry);
  }
  const answers = new Map<string, Record<string, string>>();
  const notes = new Map<string, string>();
  for (const entry of standing) {
    if (entry.kind === 'note') notes.set(entry.item, entry.text);
    else answers.set(entry.item, { ...answers.get(entry.item), [entry.question]: entry.value });
  }
  return { answers, notes, last: standing.at(-1)?.item };
}

/** A reviewer's acts in a file that only grows, one line each; nothing ever done is erased from it. */
export class AnswerLog {
  readonly #entries: AuditEntry[];
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    entries: AuditEntry[],
    private end: number,
  ) {
    this.#entries = entries;
  }

  /** An unfinished last line, left by a stop in the middle of a write, is cut away: its act was never confirmed. */
  static async open(path: string): Promise<AnswerLog> {
    try {
      await makeFolder(dirname(path));
      const { entries, end } = await readEntries(path);
      const file = await open(path, 'a');
      await file.truncate(end);
      return new AnswerLog(path, file, entries, end);
    } catch (error) {
      throw fileError(error, path);
    }
  }

  get review(): Review {
    return replay(this.#entries);
  }

  /** Resolves once the act is on the disk. */
  add(entry: AuditEntry): Promise<void> {
    const added = this.#writing.then(async () => {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      try {
        await this.file.appendFile(line);
        await this.file.datasync();
      } catch (error) {
        await this.file.truncate(this.end).catch(() => {}); // a full disk takes half a line
        throw fileError(error, this.path);
      }
      this.end += line.length;
      this.#entries.push(entry);
    });
    this.#writing = added.catch(() => {});
    return added;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.file.close();
  }
}

/** @returns no entries where the file is not there */
export async function readEntries(path: string): Promise<{ entries: AuditEntry[]; end: number }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { entries: [], end: 0 };
    throw fileError(error, path);
  }
  const end = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  const entries = lines.map((line, index) => {
    try {
      return v.parse(entrySchema, JSON.parse(line));
    } catch (cause) {
      throw new RedefError(`${path}:${index + 1}: not an entry of a review`, {
        code: 'review-damaged',
        remedy: 'Correct or remove that line; the others are kept.',
        cause,
      });
    }
  });
  return { entries, end };
}
