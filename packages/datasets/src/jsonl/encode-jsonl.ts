import { RedefError } from '@redef/core';
import { unsupported } from '../encode/unsupported.js';
import { cell, type Row } from '../row.js';
import { stringifyJson } from './json.js';

/** Rows as one JSON object a line. JSON turns NaN and infinities into null. @throws `RedefError` `unsupported-value` */
export async function* encodeJsonl(
  rows: AsyncIterable<Row> | Iterable<Row>,
  columns: readonly string[] | undefined,
): AsyncGenerator<string, void, undefined> {
  let position = 0;
  for await (const row of rows) {
    position++;
    for (const [name, value] of Object.entries(row)) {
      const found = unsupported(value);
      if (found === undefined) continue;
      throw new RedefError(
        `row ${position}: column ${JSON.stringify(name)} holds ${found}, which JSON has no form for`,
        {
          code: 'unsupported-value',
          remedy: 'Convert the value to text first.',
        },
      );
    }
    const chosen = columns ? Object.fromEntries(columns.map((name) => [name, cell(row, name)])) : row;
    yield `${stringifyJson(chosen)}\n`;
  }
}
