import { RedefError } from '@redef/core';
import { type ReadJsonlOptions, readJsonlLines } from '@redef/core/files';
import type { PlacedRow, Row } from '../row.js';
import { parseJson } from './json.js';

/** Reads one JSON object a line. @throws as `readJsonlLines` does, and `jsonl-row` for a line that holds no object */
export async function* readJsonl(
  source: AsyncIterable<Uint8Array>,
  file: string,
  options: Pick<ReadJsonlOptions, 'maxLineBytes'>,
): AsyncGenerator<PlacedRow[], void, undefined> {
  for await (const { line, value } of readJsonlLines(source, { ...options, parse: parseJson }, file)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new RedefError(`${file}:${line}: expected a JSON object, found ${describe(value)}`, {
        code: 'jsonl-row',
        remedy: 'Each line must be an object of columns: {"source": "...", "target": "..."}',
      });
    }
    yield [{ row: value as Row, file, position: line, unit: 'line' }];
  }
}

function describe(value: unknown): string {
  return Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
}
