import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPlacedRows } from '../index.js';

// Any bytes that these pieces make, well formed or not.
const piece = fc.constantFrom(
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  'a',
  ' ',
  'é',
  '"a"',
  '"\n"',
  '\0',
  '\ufeff',
  '"",""',
);

test('reads what csv-parse reads, and refuses what it refuses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 14 }), fc.integer({ min: 1, max: 5 }), async (pieces, size) => {
      fc.pre(!pieces.join('').includes('"\0')); // csv-parse takes a NUL after a closing quote for the end
      const bytes = Buffer.from(`x,y\n${pieces.join('')}`);
      let expected: unknown;
      try {
        expected = parse(bytes, {
          columns: true,
          record_delimiter: ['\r\n', '\n', '\r'],
          skip_empty_lines: true,
          cast: (value, { quoting, header }) => (value === '' && !quoting && !header ? null : value),
        });
      } catch {
        expected = undefined;
      }
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      let rows: unknown[] | undefined = [];
      try {
        for await (const { row } of readPlacedRows(chunks(), { format: 'csv' })) rows.push(row);
      } catch {
        rows = undefined;
      }
      // A quote inside an unquoted field stands for itself here, as in Python; csv-parse refuses it.
      if (expected === undefined && rows !== undefined) expect(bytes.toString()).toMatch(/[^",\n]"/);
      else expect(rows).toEqual(expected);
    }),
    { numRuns: 1500 },
  );
});
