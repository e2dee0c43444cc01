import { RedefError, requireOption, shown } from '@redef/core';
import type { Row } from '../row.js';

/** @throws `RedefError` `invalid-option` for what cannot be iterated over */
export function requireRows(rows: AsyncIterable<Row> | Iterable<Row>): void {
  const holds = typeof rows === 'object' && rows !== null && (Symbol.asyncIterator in rows || Symbol.iterator in rows);
  requireOption('rows', rows, holds, 'something to iterate over, such as a list or readRows(...)');
}

/** @param position 1-based @throws `RedefError` `invalid-row` for what is no object */
export function requireRow(row: Row, position: number): void {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return;
  throw new RedefError(`row ${position}: expected an object of columns, got ${shown(row)}`, {
    code: 'invalid-row',
    remedy: 'Pass rows as objects: { source: "...", target: "..." }.',
  });
}
