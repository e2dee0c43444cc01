import { RedefError } from '@redef/core';
import { mapRows } from './map-rows.js';
import { cell, describePlace, type PlacedRow } from './row.js';

/**
 * Keeps the columns named. A JSONL row may lack one that others have: it is null there.
 *
 * @throws `RedefError` `unknown-column` for a column that no row of the file has
 */
export async function* chooseColumns(
  batches: AsyncIterable<readonly PlacedRow[]>,
  columns: readonly string[],
): AsyncGenerator<PlacedRow[], void, undefined> {
  let unseen = columns;
  let last: PlacedRow | undefined;
  yield* mapRows(batches, (placed) => {
    last = placed;
    if (unseen.length > 0) {
      unseen = unseen.filter((name) => !Object.hasOwn(placed.row, name));
      if (unseen.length > 0 && placed.unit === 'row') throw unknownColumn(unseen, placed);
    }
    return { ...placed, row: Object.fromEntries(columns.map((name) => [name, cell(placed.row, name)])) };
  });
  if (last && unseen.length > 0) throw unknownColumn(unseen, last);
}

function unknownColumn([name]: readonly string[], placed: PlacedRow): RedefError {
  const found = Object.keys(placed.row).map((column) => JSON.stringify(column));
  return new RedefError(`${describePlace(placed)}: no column ${JSON.stringify(name)}, found ${found.join(', ')}`, {
    code: 'unknown-column',
    remedy: 'Name columns that the file has.',
  });
}
