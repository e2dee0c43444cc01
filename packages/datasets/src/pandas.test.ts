import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type ReadRowsOptions, type Row, readRows } from './index.js';

const fixture = (name: string) => fileURLToPath(new URL(`../test/fixtures/pandas/${name}`, import.meta.url));
const expected = JSON.parse(readFileSync(fixture('expected.json'), 'utf8')) as Record<string, unknown>[];

async function collect(name: string, options?: ReadRowsOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRows(fixture(name), options)) rows.push(row);
  return rows;
}

// pandas writes the empty text as nothing, booleans as True and False, and an index column without a name.
const asCsv = expected.map(({ text, count, share, flag, maybe }, index) => ({
  '': String(index),
  text: text === '' ? null : text,
  count: String(count),
  share: Number(share),
  flag: flag ? 'True' : 'False',
  maybe: maybe === null ? null : String(maybe),
}));

test.each(['table.csv', 'table.csv.gz', 'table.tsv'])('%s is read as pandas wrote it', async (name) => {
  const rows = await collect(name);
  expect(rows.map((row) => ({ ...row, share: Number(row.share) }))).toStrictEqual(asCsv);
});

test('table.jsonl is read as pandas wrote it', async () => {
  const rows = await collect('table.jsonl');
  expect(rows.map((row) => ({ ...row, share: undefined }))).toStrictEqual(
    expected.map((row) => ({ ...row, share: undefined })),
  );
  for (const [at, { share }] of rows.entries()) expect(share).toBeCloseTo(expected[at]!.share as number, 14);
});

test('table.parquet is read as pyarrow wrote it: lists, structs, dates, several row groups', async () => {
  const rows = await collect('table.parquet');
  expect(rows).toStrictEqual(
    expected.map((row, n) => ({
      ...row,
      cwe: n % 2 ? ['CWE-119', `CWE-${n}`] : [],
      place: { file: `f${n}.c`, line: n },
      day: `2020-01-${String(n + 1).padStart(2, '0')}`,
      at: `2020-01-${String(n + 1).padStart(2, '0')}T11:00:00.500000Z`,
    })),
  );
  expect(await collect('table.parquet', { columns: ['count', 'text'] })).toStrictEqual(
    expected.map(({ count, text }) => ({ count, text })),
  );
});
