import { isUtf8 } from 'node:buffer';
import { RedefError } from '@redef/core';
import { requireCount, requireDelimiter } from '../checks.js';
import type { PlacedRow, Row } from '../row.js';
import { type Field, RecordScanner, type ScanFailure } from './scan-record.js';

export interface ReadCsvOptions {
  /** One ASCII character. Default `,`, or a tab for names that end in `.tsv`. */
  delimiter?: string;
  /** Longest row accepted, in bytes: a guard against a quote that is never closed. Default 256 MiB. */
  maxRowBytes?: number;
}

/**
 * Reads CSV in UTF-8 as rows of text, a chunk's rows at a time: quoted line breaks, LF, CR LF and CR as line ends, also
 * mixed, a byte order mark, NUL bytes, fields of any length. A field without a character is null, `""` is the empty text, as `encodeCsv` writes them;
 * pandas writes both as nothing. Blank lines are passed over. The first row names the columns; a name may be empty, as that of an index
 * column is.
 *
 * @throws `RedefError` `csv-syntax` with `file:line`, `csv-ragged` for a row of another length, `csv-columns` for a
 * missing header or a name used twice, `invalid-encoding`
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  file: string,
  { delimiter = /\.tsv(\.gz)?$/i.test(file) ? '\t' : ',', maxRowBytes = 2 ** 28 }: ReadCsvOptions,
): AsyncGenerator<PlacedRow[], void, undefined> {
  requireDelimiter(delimiter);
  requireCount('maxRowBytes', maxRowBytes);
  const table = new CsvTable(file, delimiter.charCodeAt(0), maxRowBytes);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let wanted = 0; // an unfinished row is looked at again once twice as much of it is there
  for await (const chunk of source) {
    pending.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    pendingBytes += chunk.length;
    if (pendingBytes < wanted) continue;
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    const rest = bytes.subarray(table.read(bytes, false));
    if (table.rows.length > 0) yield table.takeRows();
    if (table.error) throw table.error;
    if (rest.length - 1 > maxRowBytes) throw table.tooLong(); // one of them may be the CR that ends it
    pending = [rest];
    pendingBytes = rest.length;
    wanted = 2 * rest.length;
  }
  table.read(Buffer.concat(pending), true);
  if (table.rows.length > 0) yield table.takeRows();
  if (table.error) throw table.error;
  if (!table.named) throw table.fail('csv-columns', 'empty, expected a first row that names the columns');
}

/** Turns the bytes of a file, which come in pieces that need not end where rows do, into rows. */
class CsvTable {
  rows: PlacedRow[] = [];
  error: RedefError | undefined;
  #columns: string[] = [];
  #toRow: ((fields: Field[]) => Row) | undefined;
  #position = 0;
  #lines = 0; // in the bytes that were read
  #started = false;
  readonly #scanner: RecordScanner;

  constructor(
    private readonly file: string,
    delimiter: number,
    private readonly maxRowBytes: number,
  ) {
    this.#scanner = new RecordScanner(delimiter);
  }

  get named(): boolean {
    return this.#toRow !== undefined;
  }

  takeRows(): PlacedRow[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  /** Reads the rows that are whole and gives the number of bytes they take; sets `error` at the first that is wrong. */
  read(bytes: Buffer, final: boolean): number {
    let start = this.#started || !startsWithMark(bytes) ? 0 : 3;
    this.#started ||= bytes.length >= 3;
    const scanner = this.#scanner;
    while (start < bytes.length && scanner.scan(bytes, start, final)) {
      if (scanner.end - start > this.maxRowBytes) {
        this.error = this.tooLong(bytes, start);
        return start;
      }
      if (!isUtf8(bytes.subarray(start, scanner.next))) {
        this.error = this.fail('invalid-encoding', 'bytes that are not UTF-8', bytes, start);
        return start;
      }
      this.#take(scanner.fields, bytes, start);
      if (this.error) return start;
      start = scanner.next;
    }
    if (scanner.failure) {
      const { at, what } = scanner.failure;
      this.error = this.fail('csv-syntax', explanations[what], bytes, at);
    }
    this.#lines += countLines(bytes, start);
    return start;
  }

  #take(fields: Field[], bytes: Buffer, start: number): void {
    if (fields.length === 1 && fields[0] === null) return; // a blank line
    if (this.#toRow === undefined) {
      this.#columns = fields.map((field) => field ?? '');
      const repeated = this.#columns.find((column, i) => this.#columns.indexOf(column) !== i);
      if (repeated === undefined) this.#toRow = rowBuilder(this.#columns);
      else this.error = this.fail('csv-columns', `two columns are called ${JSON.stringify(repeated)}`, bytes, start);
      return;
    }
    if (fields.length !== this.#columns.length) {
      const what = `a row of ${fields.length} fields where the header has ${this.#columns.length}`;
      this.error = this.fail('csv-ragged', what, bytes, start);
      return;
    }
    this.#position++;
    this.rows.push({ row: this.#toRow(fields), file: this.file, position: this.#position, unit: 'row' });
  }

  tooLong(bytes?: Buffer, at?: number): RedefError {
    return this.fail(
      'csv-syntax',
      `a row longer than maxRowBytes, ${this.maxRowBytes}: is a quote not closed?`,
      bytes,
      at,
    );
  }

  /** @param at where in the bytes that were not counted yet */
  fail(code: keyof typeof remedies, what: string, bytes: Buffer = Buffer.alloc(0), at = 0): RedefError {
    const line = this.#lines + countLines(bytes, at) + 1;
    return new RedefError(`${this.file}:${line}: ${what}`, { code, remedy: remedies[code] });
  }
}

const explanations: Record<ScanFailure['what'], string> = {
  'quote-not-closed': 'a quote is opened here and never closed',
  'text-after-quote': 'text after a closing quote',
};

const remedies = {
  'csv-syntax': 'Double every quote inside a quoted field. If this is the last row, the file may be cut off.',
  'csv-ragged': 'Check quotes and delimiters in that row. If it is the last one, the file may be cut off.',
  'csv-columns': 'The first row must name every column, each name once.',
  'invalid-encoding': "Name the file's encoding, for example encoding: 'windows-1252'.",
};

function rowBuilder(columns: string[]): (fields: Field[]) => Row {
  // An own member of this name takes the slower way.
  if (columns.includes('__proto__')) return (fields) => Object.fromEntries(columns.map((name, i) => [name, fields[i]]));
  return (fields) => {
    const row: Record<string, Field> = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]!] = fields[i]!;
    return row;
  };
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = 0; at < end; at++) {
    if (bytes[at] === 0x0a || (bytes[at] === 0x0d && bytes[at + 1] !== 0x0a)) lines++;
  }
  return lines;
}
