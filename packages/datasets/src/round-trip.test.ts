import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUSVString } from 'node:util';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { encodeRows, type Row, readRows, writeRows } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'redef-datasets-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function collect(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

// What breaks tables: quotes, every line break, delimiters, NUL, marks, blanks, astral characters, nothing.
const awkward = fc.constantFrom(
  '"',
  '""',
  '\n',
  '\r',
  '\r\n',
  ',',
  '\t',
  '\0',
  '\ufeff',
  ' ',
  '',
  '😀',
  'é',
  '\\',
  'NULL',
  'a',
);
const text = fc.oneof(
  fc.array(awkward, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);
const columnNames = fc
  .uniqueArray(
    text.filter((name) => !/^\d+$/.test(name)),
    { minLength: 2, maxLength: 5 },
  )
  .map((names) => names as string[]);
const tableOf = (cell: fc.Arbitrary<unknown>) =>
  columnNames.chain((names) =>
    fc
      .array(fc.tuple(...names.map(() => cell)), { minLength: 1, maxLength: 8 })
      .map((rows) => rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]])))),
  );

test('CSV gives back every text and null, through any chunk boundary', async () => {
  await fc.assert(
    fc.asyncProperty(tableOf(fc.option(text)), fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      async function* chunks() {
        const all: Uint8Array[] = [];
        for await (const bytes of encodeRows(rows, { format: 'csv' })) all.push(bytes);
        const bytes = Buffer.concat(all);
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      expect(await collect(readRows(chunks(), { format: 'csv' }))).toStrictEqual(rows);
    }),
    { numRuns: 300 },
  );
});

// JSON has one kind of number: an integer beyond 2^53 is read as a bigint, whatever wrote it.
const asRead = (value: unknown): unknown => {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return Math.abs(value) < 1e21 ? BigInt(String(value)) : value;
  }
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asRead(member)]));
};
test('JSONL gives back every JSON value and integers of any size', async () => {
  const cell = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.bigInt({ min: 2n ** 53n, max: 2n ** 130n }));
  await fc.assert(
    fc.asyncProperty(tableOf(cell), async (rows) => {
      expect(await collect(readRows(encodeRows(rows, { format: 'jsonl' }), { format: 'jsonl' }))).toStrictEqual(
        rows.map(asRead),
      );
    }),
    { numRuns: 200 },
  );
});

const cells: fc.Arbitrary<unknown>[] = [
  text.filter((value) => toUSVString(value) === value),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.array(text.filter((value) => toUSVString(value) === value)),
  fc.array(fc.double()),
  fc.object({ maxDepth: 2 }).map((value) => asRead(JSON.parse(JSON.stringify(value)))),
];
test('Parquet gives back every column of one type, with its nulls', async () => {
  const path = join(folder, 'table.parquet');
  const table = fc.tuple(...cells.map((cell) => fc.array(fc.option(cell), { minLength: 40, maxLength: 40 })));
  await fc.assert(
    fc.asyncProperty(table, async (columns) => {
      const rows = columns[0]!.map((_, at) => Object.fromEntries(columns.map((column, i) => [`c ${i}`, column[at]])));
      expect(await writeRows(path, rows)).toBe(40);
      expect(await collect(readRows(path))).toStrictEqual(rows);
    }),
    { numRuns: 15 },
  );
});
