import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EncodeRowsOptions, encodeRows, type Row, readRows, type WriteRowsOptions, writeRows } from './index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-write-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function collect(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRows(path)) rows.push(row);
  return rows;
}
const formats = ['csv', 'csv.gz', 'tsv', 'jsonl', 'jsonl.gz', 'parquet'];

test.each(formats)('.%s: writes rows, missing folders too, and tells how many', async (extension) => {
  const path = join(folder, 'new', `t.${extension}`);
  const rows = Array.from({ length: 2500 }, (_, n) => ({ text: `row, ${n}\n`, empty: n % 2 ? '' : null }));
  const events: unknown[] = [];
  expect(await writeRows(path, rows, { onEvent: (event) => events.push(event) })).toBe(2500);
  expect(await collect(path)).toStrictEqual(rows);
  expect(events.at(-1)).toEqual({ type: 'progress', stage: 'write', done: 2500, unit: 'rows' });
  const bytes = readFileSync(path);
  await writeRows(path, rows);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(join(folder, 'new'))).toEqual([`t.${extension}`]);
});

test.each(formats)(
  '.%s: a failure or the signal in the middle leaves the older file and nothing else',
  async (extension) => {
    const path = join(folder, `t.${extension}`);
    writeFileSync(path, 'older');
    async function* failing() {
      for (let n = 0; n < 1500; n++) yield { n };
      throw new Error('source broke');
    }
    await expect(writeRows(path, failing())).rejects.toThrow('source broke');

    const abort = new AbortController();
    async function* aborting() {
      for (let n = 0; ; n++) {
        if (n === 1500) abort.abort();
        yield { n };
      }
    }
    await expect(writeRows(path, aborting(), { signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(readFileSync(path, 'utf8')).toBe('older');
    expect(readdirSync(folder)).toEqual([`t.${extension}`]);
  },
);

test.each(formats)(
  '.%s: a folder that is read while a file in it is written gives the older rows',
  async (extension) => {
    const path = join(folder, `t.${extension}`);
    await writeRows(path, [{ n: 'older' }]);
    const seen: unknown[] = [];
    async function* reading() {
      for (let n = 0; n < 3; n++) {
        seen.push(...(await collect(folder)));
        yield { n: `${n}`.repeat(1 << 19) };
      }
    }
    await writeRows(path, reading());
    expect(seen).toEqual([{ n: 'older' }, { n: 'older' }, { n: 'older' }]);
  },
);

test('gzip gives the same bytes as without', async () => {
  const rows = [{ a: 1 }, { a: 2 }];
  await writeRows(join(folder, 'a.csv'), rows);
  await writeRows(join(folder, 'a.csv.gz'), rows);
  expect(gunzipSync(readFileSync(join(folder, 'a.csv.gz'))).equals(readFileSync(join(folder, 'a.csv')))).toBe(true);
});

test('CSV has a form for every value but bytes, functions and half characters', async () => {
  const path = join(folder, 'a.csv');
  const when = new Date('2020-01-02T03:04:05.678Z');
  await writeRows(path, [
    { n: -0, big: 2n ** 70n, flag: true, list: ['a', 1n], when, none: undefined, nan: Number.NaN },
  ]);
  expect(readFileSync(path, 'utf8')).toBe(
    'n,big,flag,list,when,none,nan\n-0,1180591620717411303424,true,"[""a"",1]",2020-01-02T03:04:05.678Z,,NaN\n',
  );
  await expect(writeRows(path, [{ a: 1 }, { a: 'a\ud800' }])).rejects.toMatchObject({ code: 'unsupported-value' });
});

test.each(['csv', 'jsonl', 'parquet'])(
  '.%s: what no format has a form for is refused at any depth',
  async (extension) => {
    const path = join(folder, `a.${extension}`);
    writeFileSync(path, 'older');
    const round: Record<string, unknown> = {};
    round.self = [round];
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const values = [
      ...[new Uint8Array(2), new ArrayBuffer(2), () => 1, Symbol('s'), new Date(Number.NaN)],
      ...[new Map([[1, 2]]), new Set([1]), round, deep, { toJSON: () => () => 1 }],
    ];
    for (const value of values.flatMap((value) => [value, [value], { in: { it: value } }])) {
      await expect(writeRows(path, [{ a: null }, { a: value }])).rejects.toMatchObject({
        code: 'unsupported-value',
        message: expect.stringMatching(/^row 2: column "a" holds /),
      });
    }
    for (const row of [null, undefined, 1, 'text', [1, 2]] as unknown[] as Row[]) {
      await expect(writeRows(path, [{ a: 1 }, row])).rejects.toMatchObject({
        code: 'invalid-row',
        message: expect.stringMatching(/^row 2: expected an object/),
      });
    }
    for (const rows of [null, undefined, 5, {}] as unknown[] as Row[][]) {
      await expect(writeRows(path, rows)).rejects.toMatchObject({ code: 'invalid-option' });
    }
    const once = { a: 1 };
    await writeRows(path, [{ a: [once, once], b: { toJSON: () => ({ c: 1 }) } }]); // the same twice holds nothing of itself
    expect(await collect(path)).toHaveLength(1);
  },
);

test('refuses options that are none, and leaves the older file', async () => {
  const path = join(folder, 'a.csv');
  writeFileSync(path, 'older');
  const cases = [
    ...[{ format: 'xml' }, { format: null }, { columns: [] }, { columns: ['a', 'a'] }, { columns: 'a' }],
    ...[{ delimiter: '"' }, { delimiter: '\n' }, { delimiter: '' }, { delimiter: ',,' }, { gzip: 'yes' }],
    ...[
      { format: 'parquet', threads: 0 },
      { format: 'parquet', memoryLimit: 'much' },
    ],
  ] as unknown[] as WriteRowsOptions[];
  for (const options of cases) {
    await expect(writeRows(path, [{ a: 1 }], options), JSON.stringify(options)).rejects.toMatchObject({
      code: 'invalid-option',
    });
  }
  for (const options of [null, 5, 'csv', []] as unknown[] as EncodeRowsOptions[]) {
    await expect(writeRows(path, [{ a: 1 }], options)).rejects.toMatchObject({ code: 'invalid-option' });
    await expect(encodeRows([], options).next()).rejects.toMatchObject({ code: 'invalid-option' });
  }
  await expect(writeRows(5 as unknown as string, [], { format: 'csv' })).rejects.toMatchObject({
    code: 'invalid-path',
  });
  for (const format of ['parquet', 'xml', undefined] as unknown[] as 'csv'[]) {
    await expect(encodeRows([], { format }).next()).rejects.toMatchObject({ code: 'invalid-option' });
  }
  expect(readFileSync(path, 'utf8')).toBe('older');
});

test('CSV refuses a column that the header does not have, and takes the columns given', async () => {
  const path = join(folder, 'a.csv');
  const rows = [{ a: 1 }, { a: 2, b: 3 }];
  await expect(writeRows(path, rows)).rejects.toMatchObject({
    code: 'unknown-column',
    message: expect.stringMatching(/row 2.*"b"/),
  });
  await writeRows(path, rows, { columns: ['b', 'a'] });
  expect(readFileSync(path, 'utf8')).toBe('b,a\n,1\n3,2\n');
  await writeRows(path, [], { columns: ['b'] });
  expect(readFileSync(path, 'utf8')).toBe('b\n');
  for (const extension of ['csv', 'parquet']) {
    await expect(writeRows(join(folder, `none.${extension}`), [])).rejects.toMatchObject({ code: 'no-columns' });
  }
  expect(existsSync(join(folder, 'none.parquet'))).toBe(false);
});

test('Parquet learns column types from all rows: late columns, integers beside fractions, big ones, lists beside objects', async () => {
  const path = join(folder, 'a.parquet');
  await writeRows(path, [
    { first: null, number: 1, long: 1, digits: 2, mixed: ['a'], list: [] },
    { first: 'x', number: -0, long: 2n ** 60n, digits: 2n ** 127n, mixed: { k: [1] }, list: [1, 2.5], late: true },
  ]);
  expect(await collect(path)).toStrictEqual([
    { first: null, number: 1, long: 1, digits: '2', mixed: ['a'], list: [], late: null },
    {
      first: 'x',
      number: -0,
      long: 2n ** 60n,
      digits: String(2n ** 127n),
      mixed: { k: [1] },
      list: [1, 2.5],
      late: true,
    },
  ]);
});

test('Parquet keeps an odd column name, and names the one it cannot', async () => {
  const path = join(folder, "it's [1].parquet");
  await writeRows(path, [{ '': '0', 'say "x"; --': 1, é: 2, constructor: 3, É: { b: [5] } }]);
  expect(await collect(path)).toEqual([{ 'Unnamed: 0': '0', 'say "x"; --': 1, é: 2, constructor: 3, É: { b: [5] } }]);
});

test('Parquet refuses columns that differ in case alone', async () => {
  await expect(writeRows(join(folder, 'a.parquet'), [{ a: 1, A: 2 }])).rejects.toMatchObject({
    code: 'parquet-columns',
  });
});

test('Parquet refuses values of two types, naming the row', async () => {
  const path = join(folder, 'a.parquet');
  const cases: [Row[], string, RegExp][] = [
    [[{ a: 'x' }, { a: 1 }], 'mixed-types', /row 2: column "a" holds integer where earlier rows hold text/],
    [[{ a: 2n ** 60n }, { a: 0.5 }], 'mixed-types', /row 2/],
    [[{ a: new Uint8Array(1) }], 'unsupported-value', /row 1.*bytes/],
    [[{ a: ['x', '\udc00'] }], 'unsupported-value', /row 1/],
  ];
  for (const [rows, code, message] of cases) {
    await expect(writeRows(path, rows)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('a column may have any name that an object inherits', async () => {
  for (const extension of ['csv', 'jsonl', 'parquet']) {
    const path = join(folder, `a.${extension}`);
    const rows = [JSON.parse('{"a":"1","constructor":"2","__proto__":"3"}'), { a: '1' }] as Row[];
    await writeRows(path, rows, { columns: ['a', 'constructor', '__proto__'] });
    const [first, second] = await collect(path);
    expect(Object.entries(first!)).toEqual([
      ['a', '1'],
      ['constructor', '2'],
      ['__proto__', '3'],
    ]);
    expect(Object.values(second!)).toEqual(['1', null, null]);
  }
});

test('says what it cannot write to', async () => {
  await expect(writeRows(join(folder, 'a.txt'), [{ a: 1 }])).rejects.toMatchObject({ code: 'unsupported-format' });
  await expect(writeRows(join(folder, 'a.parquet.gz'), [{ a: 1 }])).rejects.toMatchObject({
    code: 'unsupported-format',
  });
  writeFileSync(join(folder, 'file'), '');
  for (const extension of ['csv', 'jsonl', 'parquet']) {
    await expect(writeRows(join(folder, 'file', `a.${extension}`), [{ a: 1 }])).rejects.toMatchObject({
      code: expect.stringMatching(/^(not-a-folder|file-exists)$/),
    });
  }
});
