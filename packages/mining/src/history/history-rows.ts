import type { CommitTable } from './commit-table.js';
import { bucketCount, commitsFile, touchesFile } from './log-pass.js';
import { RowFile } from './read-rows.js';
import type { CommitRow, TouchRow } from './rows.js';
import type { Verdicts } from './verdicts.js';

/** Files that are kept open at once. */
const maxOpen = 64;

/** The rows of an index folder, read one by one where they are asked for. */
export class HistoryRows {
  /** Open files by their number, the one used last at the end. */
  readonly #buckets = new Map<number, RowFile>();
  #commits: RowFile | undefined;

  constructor(
    private readonly folder: string,
    private readonly table: CommitTable,
    private readonly verdicts: Verdicts,
  ) {}

  commit(commit: number): CommitRow {
    this.#commits ??= new RowFile(commitsFile(this.folder));
    return this.#commits.read<CommitRow>(this.table.offset[commit]!, this.table.length[commit]!);
  }

  /** The row that holds the verdict on a commit's only file. */
  touch(commit: number): TouchRow {
    const { file, offset, length } = this.verdicts;
    return this.#bucket(file[commit]!).read<TouchRow>(offset[commit]!, length[commit]!);
  }

  #bucket(number: number): RowFile {
    let file = this.#buckets.get(number);
    this.#buckets.delete(number);
    file ??= new RowFile(touchesFile(this.folder, Math.floor(number / bucketCount), number % bucketCount));
    this.#buckets.set(number, file);
    if (this.#buckets.size > maxOpen) {
      const [oldest] = this.#buckets as Iterable<[number, RowFile]>;
      oldest![1].close();
      this.#buckets.delete(oldest![0]);
    }
    return file;
  }

  close(): void {
    for (const file of this.#buckets.values()) file.close();
    this.#buckets.clear();
    this.#commits?.close();
    this.#commits = undefined;
  }
}
