import { type FileHandle, open } from 'node:fs/promises';
import { fileError } from '@redef/core/files';

const flushAt = 1 << 18;

/** Appends JSON lines to a file through a buffer. */
export class RowWriter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of the file once everything is flushed. */
  bytes = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
  ) {}

  /** Opens for appending, cutting the file to `keep` bytes first. */
  static async open(path: string, keep = 0): Promise<RowWriter> {
    try {
      const file = await open(path, 'a');
      await file.truncate(keep);
      const writer = new RowWriter(file, path);
      writer.bytes = keep;
      return writer;
    } catch (error) {
      throw fileError(error, path);
    }
  }

  async write(row: unknown): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    this.bytes += line.length;
    if (this.#pendingBytes >= flushAt) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#pendingBytes === 0) return;
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      throw fileError(error, this.path);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
      await this.file.sync();
    } catch (error) {
      throw fileError(error, this.path);
    } finally {
      await this.file.close();
    }
  }
}
