import { RedefError } from '@redef/core';
import { stringify } from 'csv-stringify/sync';
import { unsupported } from '../encode/unsupported.js';
import { stringifyJson } from '../jsonl/json.js';
import { cell, type Row } from '../row.js';

export interface EncodeCsvOptions {
  /** Default: the names in the first row. Names that a row lacks are null. */
  columns?: readonly string[] | undefined;
  /** One character. Default `,`. */
  delimiter?: string | undefined;
}

const rowsInBatch = 256;

/**
 * Rows as RFC 4180 text with a header row and LF: null as nothing, the empty text as `""`, lists and objects as JSON,
 * dates in ISO 8601. A table of one column cannot tell null from the empty text, since a blank line is no row.
 *
 * @throws `RedefError` `unknown-column`, `unsupported-value` or `no-columns`, which name the row
 */
export async function* encodeCsv(
  rows: AsyncIterable<Row> | Iterable<Row>,
  { columns: given, delimiter = ',' }: EncodeCsvOptions,
): AsyncGenerator<string, void, undefined> {
  let columns = given;
  let known = new Set(columns);
  let position = 0;
  let batch: Field[][] = [];
  const encode = () => {
    const text = stringify(batch, {
      delimiter,
      record_delimiter: '\n',
      quote_record_delimiter: true, // CR too
      ...(columns?.length === 1 && { quoted_empty: true }),
      quoted_match: [/^$/, /^\ufeff/], // of two forms of nothing, "" is the empty text
    });
    batch = [];
    return text;
  };

  if (columns) batch.push([...columns]);
  for await (const row of rows) {
    position++;
    if (columns === undefined) {
      columns = Object.keys(row);
      known = new Set(columns);
      batch.push([...columns]);
    }
    batch.push(columns.map((name) => toField(cell(row, name), name, position)));
    const unknown = Object.keys(row).find((name) => !known.has(name));
    if (unknown !== undefined) throw unknownColumn(unknown, position, given === undefined);
    if (batch.length >= rowsInBatch) yield encode();
  }
  if (columns === undefined || columns.length === 0) {
    throw new RedefError('no rows and no columns to write as CSV', {
      code: 'no-columns',
      remedy: 'Pass columns, or write JSONL.',
    });
  }
  if (batch.length > 0) yield encode();
}

type Field = string | null;

function toField(value: unknown, column: string, position: number): Field {
  switch (typeof value) {
    case 'string':
      if (loneSurrogate.test(value)) break;
      return value;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return null;
    case 'object':
      if (value === null) return null;
      if (unsupported(value) !== undefined) break;
      return value instanceof Date ? value.toISOString() : (stringifyJson(value) ?? null);
  }
  const what = unsupported(value) ?? 'a half of a surrogate pair';
  throw new RedefError(`row ${position}: column ${JSON.stringify(column)} holds ${what}, which CSV has no form for`, {
    code: 'unsupported-value',
    remedy: 'Convert the value to text first.',
  });
}

const loneSurrogate = /[\ud800-\udfff]/u;

function unknownColumn(name: string, position: number, learnt: boolean): RedefError {
  return new RedefError(
    `row ${position}: column ${JSON.stringify(name)} is not among ${learnt ? "the first row's" : 'the columns given'}`,
    { code: 'unknown-column', remedy: 'Pass columns with every name that rows may have, or write JSONL.' },
  );
}
