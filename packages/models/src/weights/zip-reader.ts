import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import yauzl from 'yauzl';

const pieceBytes = 1 << 16;

/**
 * Reads for yauzl from an open file and refuses every place outside it. Left to itself yauzl hands what a damaged archive
 * says to `fs.read`, which throws past all handlers for an offset above 2^53.
 */
export class BoundedZipReader extends yauzl.RandomAccessReader {
  constructor(
    private readonly file: FileHandle,
    private readonly size: number,
  ) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    if (!this.holds(position, position + length)) {
      setImmediate(callback, outside(position));
      return;
    }
    const done = (error: Error | null): void => void setImmediate(callback, error);
    this.file
      .read(buffer, offset, length, position)
      .then(({ bytesRead }) => done(bytesRead < length ? outside(position) : null), done);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end));
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
    if (!this.holds(start, end)) throw outside(start);
    for (let position = start; position < end; ) {
      const piece = Buffer.alloc(Math.min(pieceBytes, end - position));
      const { bytesRead } = await this.file.read(piece, 0, piece.length, position);
      if (bytesRead === 0) throw outside(position);
      yield piece.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  /** The file stays open: its owner closes it. */
  override close(callback: (error: Error | null) => void): void {
    setImmediate(callback, null);
  }

  private holds(start: number, end: number): boolean {
    return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= this.size;
  }
}

function outside(position: number): Error {
  return new Error(`it points to byte ${position}, outside the file`);
}
