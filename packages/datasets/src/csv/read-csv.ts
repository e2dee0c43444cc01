import { pipeline, Readable } from 'node:stream';
import { RedefError } from '@redef/core';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import type { PlacedRow, Row } from '../row.js';

export interface ReadCsvOptions {
  /** One character. Default `,`, or a tab for names that end in `.tsv`. */
  delimiter?: string;
  /**
   * How a field without a character between the delimiters is read. `unquoted` (the default): as `null`, while `""` is
   * the empty text, which is how pandas and this package write the two. `never`: both as the empty text, in two thirds
   * of the time.
   */
  nulls?: 'unquoted' | 'never';
  /** Longest row accepted, in bytes: a guard against a quote that is never closed. Default 256 MiB. */
  maxRowBytes?: number;
}

/**
 * Reads RFC 4180 text in UTF-8 as rows of text: quoted line breaks, CR LF and LF, a byte order mark, NUL bytes and
 * fields of any length. Blank lines are passed over. The first row names the columns; a name may be empty, as that of an
 * index column is.
 *
 * @throws `RedefError` `csv-syntax` with `file:line`, `csv-ragged` for a row of another length, `csv-columns` for a
 * missing header or a name used twice
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  file: string,
  { delimiter = /\.tsv(\.gz)?$/i.test(file) ? '\t' : ',', nulls = 'unquoted', maxRowBytes = 2 ** 28 }: ReadCsvOptions,
): AsyncGenerator<PlacedRow, void, undefined> {
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: maxRowBytes,
    record_delimiter: ['\r\n', '\n'], // both in one file too; found out by itself, the first one would hold for all
    skip_empty_lines: true,
    ...(nulls === 'unquoted' && {
      cast: (value: string, context: { quoting: boolean }) => (value === '' && !context.quoting ? null : value),
    }),
  });
  const input = Readable.from(source, { objectMode: false });
  pipeline(input, parser, () => {}); // a failure of either end shows in the loop below
  let toRow: ((fields: Field[]) => Row) | undefined;
  let position = 0;
  try {
    for await (const fields of parser as AsyncIterable<Field[]>) {
      if (toRow === undefined) {
        toRow = rowBuilder(checkColumns(fields, file));
        continue;
      }
      position++;
      yield { row: toRow(fields), file, position, unit: 'row' };
    }
  } catch (error) {
    throw error instanceof CsvError ? syntaxError(error, file) : error;
  }
  if (toRow === undefined) {
    throw new RedefError(`${file}: empty, expected a first row that names the columns`, {
      code: 'csv-columns',
      remedy: 'Check that the file was written to its end.',
    });
  }
}

type Field = string | null;

function checkColumns(fields: Field[], file: string): string[] {
  const columns = fields.map((field) => field ?? '');
  const repeated = columns.find((column, i) => columns.indexOf(column) !== i);
  if (repeated === undefined) return columns;
  throw new RedefError(`${file}:1: two columns are called ${JSON.stringify(repeated)}`, {
    code: 'csv-columns',
    remedy: 'Rename one of them. A file without a header row needs one.',
  });
}

function rowBuilder(columns: string[]): (fields: Field[]) => Row {
  // An own member of this name takes the slower way.
  if (columns.includes('__proto__')) return (fields) => Object.fromEntries(columns.map((name, i) => [name, fields[i]]));
  return (fields) => {
    const row: Record<string, Field> = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]!] = fields[i]!;
    return row;
  };
}

const explanations: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED:
    'a quote is opened and never closed: the file is cut off, or a quote inside a field is not doubled',
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quote: a quote inside a field is not doubled',
  INVALID_OPENING_QUOTE: 'a quote inside a field that does not begin with one',
  CSV_MAX_RECORD_SIZE: 'a row longer than maxRowBytes: a quote may never have been closed',
};

function syntaxError(error: CsvError, file: string): RedefError {
  const { lines, record } = error as CsvError & { lines?: number; record?: unknown[] };
  const ragged = error.code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH';
  const what = ragged
    ? `a row of ${record?.length} fields where the header has ${/expect (\d+)/.exec(error.message)?.[1]}`
    : (explanations[error.code] ?? error.message);
  return new RedefError(`${file}:${lines ?? '?'}: ${what}`, {
    code: ragged ? 'csv-ragged' : 'csv-syntax',
    remedy: 'Correct that line: every quote inside a field is doubled. If it is the last one, the file may be cut off.',
    cause: error,
  });
}
