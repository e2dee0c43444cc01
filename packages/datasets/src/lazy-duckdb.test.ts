import { expect, test, vi } from 'vitest';
import { encodeRows, readRows, writeRows } from './index.js';

vi.mock('@duckdb/node-api', () => {
  throw new Error('DuckDB was loaded');
});

test('DuckDB is loaded for Parquet alone', async () => {
  for (const format of ['csv', 'jsonl'] as const) {
    const rows = [];
    for await (const row of readRows(encodeRows([{ a: '1' }], { format }), { format })) rows.push(row);
    expect(rows).toEqual([{ a: '1' }]);
  }
  await expect(writeRows('unwritten.parquet', [])).rejects.toMatchObject({ code: 'no-columns' });
});
