import { describe, expect, test } from 'vitest';
import { auditData } from './audit-data.js';
import { findNearDuplicates } from './near-duplicates.js';
import { collectDeduplicated } from './remove-duplicates.js';

const run = {
  'an audit': (rows: object[]) => auditData({ data: rows }),
  'a removal': (rows: object[]) => collectDeduplicated({ data: rows }, { policy: 'cut-from-test' }),
  'the search for near duplicates': (rows: object[]) => findNearDuplicates({ data: rows }),
};

describe.each(Object.entries(run))('%s', (_name, read) => {
  test('refuses rows of another layout, which would pass for equal', async () => {
    const mixed = [{ source: 'int a ;' }, { code: 'int b ;' }, { code: 'int c ;' }];
    await expect(read(mixed)).rejects.toMatchObject({
      code: 'missing-column',
      message: 'data: no column "source" in row 1, which has "code"',
    });
  });

  test('takes rows that leave out what is null', async () => {
    await expect(
      read([{ source: 'int a ;', target: 'x' }, { target: 'x' }, {}, { source: null }]),
    ).resolves.toBeDefined();
  });

  test('names the row with a value too deep to compare', async () => {
    let deep: unknown = 0;
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    await expect(read([{ source: 'int a ;' }, { source: deep }])).rejects.toMatchObject({
      code: 'invalid-row',
      message: expect.stringContaining('data, row 1'),
    });
  });
});
