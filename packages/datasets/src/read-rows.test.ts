import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import {
  describePlace,
  type PresetName,
  type ReadRowsOptions,
  type Row,
  type RowSource,
  readPlacedRows,
  readRows,
  writeRows,
} from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'redef-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
};
async function collect(source: RowSource, options?: ReadRowsOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRows(source, options)) rows.push(row);
  return rows;
}
async function* stream(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
const failure = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

test('reads standard input of every text format, gzip or not, without being told', async () => {
  const csv = 'a,b\r\n1,"x\n"\r\n';
  const jsonl = '{"a":"1","b":"x\\n"}\n';
  for (const text of [csv, `\ufeff${csv}`, jsonl, `\n  ${jsonl}`]) {
    expect(await collect(stream(text))).toEqual([{ a: '1', b: 'x\n' }]);
    const zipped = gzipSync(text);
    expect(await collect(stream(...Array.from(zipped, (byte) => Uint8Array.of(byte))))).toEqual([{ a: '1', b: 'x\n' }]);
  }
  expect(await collect(stream(Buffer.from(`\ufeff${csv}`, 'utf16le')))).toEqual([{ a: '1', b: 'x\n' }]);
});

test('a gzip file of several members is read to its end', async () => {
  const path = file('members.csv.gz', Buffer.concat([gzipSync('a\n1\n'), gzipSync('2\n')]));
  expect(await collect(path)).toEqual([{ a: '1' }, { a: '2' }]);
});

test('reads folders in the order of their paths, hidden and other files left out, and several sources', async () => {
  const root = join(folder, 'parts');
  file('parts/b.jsonl', '{"n":"3"}\n');
  file('parts/a/z.csv', 'n\n2\n');
  file('parts/a/y.csv.gz', gzipSync('n\n1\n'));
  file('parts/.hidden.csv', 'n\n9\n');
  file('parts/manifest.json', '{"n":9}');
  await writeRows(join(root, 'c.parquet'), [{ n: '4' }]);
  const events: number[] = [];
  const rows = await collect([root, join(root, 'b.jsonl')], {
    onEvent: ({ done, total }) => events.push(done / total!),
  });
  expect(rows.map(({ n }) => n)).toEqual(['1', '2', '3', '4', '3']);
  expect(events).toEqual([...events].sort((a, b) => a - b));
  expect(events.at(-1)).toBe(1);

  mkdirSync(join(folder, 'empty'));
  await expect(collect(join(folder, 'empty'))).rejects.toMatchObject(failure('no-data-files', /empty: no CSV/));
  await expect(collect(join(folder, 'none.csv'))).rejects.toMatchObject(failure('file-missing', /none\.csv/));
});

test('CSV keeps what breaks tables: line feeds alone, nulls, a column without a name, NUL, quotes, both line ends', async () => {
  const rows = await collect(stream(',target,"he said ""x"""\n0,"\n",\r\n1,"",a"b\n\n2,\0,  c  \n'));
  expect(rows).toStrictEqual([
    { '': '0', target: '\n', 'he said "x"': null },
    { '': '1', target: '', 'he said "x"': 'a"b' },
    { '': '2', target: '\0', 'he said "x"': '  c  ' },
  ]);
  expect(await collect(stream('__proto__,a\n1,2\n'))).toEqual([JSON.parse('{"__proto__":"1","a":"2"}')]);
  expect(await collect(stream('a\n""\n\n"x"'))).toEqual([{ a: '' }, { a: 'x' }]);
});

test.each([1, 2, 3, 7, 100])('CSV lines end at LF, CR LF and CR, also mixed, read %i bytes at a time', async (size) => {
  async function* pieces(text: string) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const rows = [
    { a: '1', b: 'x\ry' },
    { a: '3', b: null },
    { a: '5', b: '6' },
  ];
  for (const ends of ['\r\r\r\r', '\n\n\n\n', '\r\r\n\n\r', '\n\r\r\n\r\n', '\r\n\n\r\r\n']) {
    const [first, second, third, last] = ends.match(/\r\n|\r|\n/g)!;
    expect(await collect(pieces(`a,b${first}1,"x\ry"${second}3,${third}5,6${last}`))).toEqual(rows);
    expect(await collect(pieces(`a,b${first}1,"x\ry"${second}${second}3,${third}5,6`))).toEqual(rows);
  }
  expect(await collect(pieces('a\r'))).toEqual([]);
  await expect(collect(pieces('a,b\r"x\ry",2\r\n3\r'))).rejects.toMatchObject(failure('csv-ragged', /:4: a row of 1 /));
});

test('a field of 40 MB in small chunks is read in linear time', async () => {
  const long = 'int x;\n'.repeat(6_000_000);
  async function* chunks() {
    const bytes = Buffer.from(`a,b\n1,"${long}"\n`);
    for (let at = 0; at < bytes.length; at += 1 << 14) yield bytes.subarray(at, at + (1 << 14));
  }
  const [row] = await collect(chunks());
  expect(row!.b === long).toBe(true);
});

test.each([
  ['a,b\n1,2\n\n3\n', 'csv-ragged', /^standard input:4: a row of 1 fields where the header has 2/],
  ['a,b\n"1\n1",2\n3,4,5\n', 'csv-ragged', /:4: a row of 3 fields/],
  ['a,b\n1,"2\n\n3', 'csv-syntax', /:2: a quote is opened here and never closed/],
  ['a,b\n1,"say "so""\n', 'csv-syntax', /:2: text after a closing quote/],
  ['a,a\n1,2\n', 'csv-columns', /:1: two columns are called "a"/],
  ['', 'csv-columns', /empty/],
  [Buffer.from('a,b\nx,y\n1,caf\xe9\n', 'latin1'), 'invalid-encoding', /:3: bytes that are not UTF-8/],
])('CSV %j is refused with its line', async (text, code, message) => {
  await expect(collect(stream(text), { format: 'csv' })).rejects.toMatchObject(failure(code, message));
});

test('rows before a fault come first', async () => {
  const seen: Row[] = [];
  const read = async () => {
    for await (const row of readRows(stream('a,b\n1,2\n3,4\n5\n'))) seen.push(row);
  };
  await expect(read()).rejects.toMatchObject({ code: 'csv-ragged' });
  expect(seen).toHaveLength(2);
});

test('a row longer than allowed is refused before it fills the memory', async () => {
  async function* endless() {
    yield Buffer.from('a\n"');
    for (;;) yield Buffer.alloc(1 << 16, 'x');
  }
  await expect(collect(endless(), { maxRowBytes: 1 << 20 })).rejects.toMatchObject(
    failure('csv-syntax', /:2: .*maxRowBytes/),
  );
});

test('a row or line longer than allowed is refused wherever it ends, one as long is not', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `a,b${end}12,34${end}1,2${end}123456,"7\n"${end}`;
    expect(await collect(stream(text), { maxRowBytes: 11 })).toHaveLength(3);
    await expect(collect(stream(text), { maxRowBytes: 10 })).rejects.toMatchObject(
      failure('csv-syntax', /:4: a row longer than maxRowBytes, 10/),
    );
  }
  const lines = '{"a":1}\n{"a":12}\n';
  expect(await collect(stream(lines), { maxLineBytes: 8 })).toHaveLength(2);
  await expect(collect(stream(lines), { maxLineBytes: 7 })).rejects.toMatchObject(
    failure('jsonl-syntax', /:2: a line longer than 7/),
  );
});

test('refuses a source and options that are none', async () => {
  const csv = file('options.csv', 'a,b\n1,2\n');
  const table = join(folder, 'options.parquet');
  await writeRows(table, [{ a: 1, b: 2 }]);
  for (const source of [null, undefined, 5, {}, [null], () => csv] as unknown[] as RowSource[]) {
    await expect(collect(source)).rejects.toMatchObject({ code: 'invalid-source' });
  }
  const wrong: Record<string, unknown>[] = [
    { format: 'xml' },
    { format: null },
    { columns: [] },
    { columns: 'a' },
    { columns: ['a', 'a'] },
    { columns: [1] },
  ];
  const forCsv = [{ delimiter: '' }, { delimiter: '"' }, { delimiter: 5 }, { maxRowBytes: 0 }, { maxRowBytes: '9' }];
  const forParquet = [
    { threads: 0 },
    { threads: 257 },
    { threads: 1.5 },
    { threads: '2' },
    { memoryLimit: 'x; drop' },
    { memoryLimit: 5 },
  ];
  for (const [path, cases] of [
    [csv, [...wrong, ...forCsv]],
    [table, [...wrong, ...forParquet]],
  ] as const) {
    for (const options of cases) {
      const reading = collect(path, options as ReadRowsOptions);
      await expect(reading, JSON.stringify(options)).rejects.toMatchObject({ code: 'invalid-option' });
    }
  }
  for (const options of [null, 5, 'csv', []] as unknown[] as ReadRowsOptions[]) {
    await expect(collect(csv, options)).rejects.toMatchObject({ code: 'invalid-option' });
  }
  for (const preset of ['toString', {}, null, 5] as unknown[] as PresetName[]) {
    await expect(collect(csv, { preset })).rejects.toMatchObject({ code: 'unknown-preset' });
  }
});

test('a link in a folder that leads nowhere is named itself', async () => {
  file('links/a.csv', 'n\n1\n');
  symlinkSync('gone.csv', join(folder, 'links', 'b.csv'));
  await expect(collect(join(folder, 'links'))).rejects.toMatchObject(failure('file-missing', /links.b\.csv: no such/));
});

test('reads other encodings when they are named', async () => {
  const latin = Buffer.from('a\ncaf\xe9\n', 'latin1');
  expect(await collect(stream(latin), { encoding: 'windows-1252' })).toEqual([{ a: 'café' }]);
  expect(await collect(stream(Buffer.from('{"a":"caf\xe9"}', 'latin1')), { encoding: 'latin1' })).toEqual([
    { a: 'café' },
  ]);
  await expect(collect(stream(latin), { encoding: 'klingon' })).rejects.toMatchObject({ code: 'unknown-encoding' });
  await expect(collect(stream(Uint8Array.of(0x61, 0x0a, 0x81)), { encoding: 'shift_jis' })).rejects.toMatchObject({
    code: 'invalid-encoding',
  });
});

test.each([
  ['{"a":1}\n[1]\n', 'jsonl-row', /:2: expected a JSON object, found an array/],
  ['{"a":1}\n{"a":', 'jsonl-syntax', /:2: the last line is cut off/],
  ['{"a":1}\n{"a" 1}\n', 'jsonl-syntax', /:2: not JSON/],
])('JSONL %j is refused with its line', async (text, code, message) => {
  await expect(collect(stream(text))).rejects.toMatchObject(failure(code, message));
});

test('JSON beside an integer beyond 2^53 is read as JSON.parse reads it', async () => {
  const text = '{"a":1,"a":{"__proto__":[1.5,-0,1e400,"\\u0000"]},"n":9007199254740993}';
  const [row] = await collect(stream(text));
  expect(row).toStrictEqual({ ...JSON.parse(text), n: 9007199254740993n });
  expect(Object.keys((row as { a: object }).a)).toEqual(['__proto__']);
});

test('tells what it cannot read, and how to convert it', async () => {
  const cases: [string, string | Uint8Array, string, RegExp][] = [
    ['a.json', '[{"a":1}]', 'unsupported-format', /one JSON array/],
    ['a.csv', 'PK\x03\x04rest', 'unsupported-format', /a ZIP archive/],
    ['CVEfixes.db', 'SQLite format 3\0', 'unsupported-format', /SQLite/],
    ['a.parquet', 'PAR1 and then nothing', 'invalid-parquet', /cut off/],
    ['b.parquet', 'a,b\n1,2\n', 'invalid-parquet', /not a Parquet file/],
    ['c.parquet', '', 'invalid-parquet', /not a Parquet file/],
    ['d.parquet', `PAR1${'\0'.repeat(50)}PAR1`, 'invalid-parquet', /d\.parquet/],
    ['a.csv.gz', gzipSync('a,b\n'.repeat(9999)).subarray(0, 40), 'truncated-gzip', /cut off/],
    ['b.csv.gz', Buffer.concat([gzipSync('a').subarray(0, 12), Buffer.alloc(99, 7)]), 'invalid-gzip', /damaged/],
    ['e.csv.gz', Buffer.of(0x1f, 0x8b), 'truncated-gzip', /cut off/],
  ];
  for (const [name, content, code, message] of cases) {
    await expect(collect(file(name, content)), name).rejects.toMatchObject(failure(code, message));
  }
  const table = join(folder, 'whole.parquet');
  await writeRows(table, [{ a: 1 }]);
  await expect(collect(stream(readFileSync(table)))).rejects.toMatchObject({ code: 'needs-a-file' });
  expect(await collect(file('unnamed', readFileSync(table)))).toEqual([{ a: 1 }]);
  await expect(collect(file('cut.parquet', readFileSync(table).subarray(0, -9)))).rejects.toMatchObject({
    code: 'invalid-parquet',
  });
});

test('a Parquet file that cannot be read to its end is never taken for a shorter one', async () => {
  const path = join(folder, 'large.parquet');
  const text = (n: number) => createHash('sha512').update(String(n)).digest('hex').repeat(8);
  await writeRows(
    path,
    Array.from({ length: 80_000 }, (_, n) => ({ text: text(n) })),
  );
  await expect(collect(path, { memoryLimit: '4MB' })).rejects.toMatchObject({ code: 'invalid-parquet' });

  const bytes = readFileSync(path);
  const damaged = Math.floor(bytes.length * 0.95); // in the last row group, where the stream just ends
  bytes.fill(0, damaged, damaged + 2000);
  await expect(collect(file('damaged.parquet', bytes))).rejects.toMatchObject({ code: 'invalid-parquet' });
});

test('keeps the columns asked for, in that order', async () => {
  const csv = file('abc.csv', 'a,b,c\n1,2,3\n');
  const [row] = await collect(csv, { columns: ['c', 'a'] });
  expect(Object.entries(row!)).toEqual([
    ['c', '3'],
    ['a', '1'],
  ]);
  await expect(collect(csv, { columns: ['d'] })).rejects.toMatchObject(
    failure('unknown-column', /row 1: no column "d"/),
  );

  const jsonl = file('some.jsonl', '{"a":1}\n{"b":2}\n');
  expect(await collect(jsonl, { columns: ['b'] })).toEqual([{ b: null }, { b: 2 }]);
  await expect(collect(jsonl, { columns: ['c'] })).rejects.toMatchObject({ code: 'unknown-column' });

  const parquet = join(folder, 'abc.parquet');
  await writeRows(parquet, [{ a: 1, b: 2 }]);
  await expect(collect(parquet, { columns: ['c'] })).rejects.toMatchObject(failure('unknown-column', /no column "c"/));
});

test('a path is taken as it is, never as a pattern', async () => {
  await writeRows(join(folder, 'year=2020', 'a[1]*?.parquet'), [{ a: 1 }]);
  expect(await collect(join(folder, 'year=2020', 'a[1]*?.parquet'))).toEqual([{ a: 1 }]);
});

test('says where rows were read', async () => {
  const places: string[] = [];
  for await (const placed of readPlacedRows([file('p.csv', 'a\n1\n2\n'), file('p.jsonl', '\n{"a":1}\n')])) {
    places.push(describePlace(placed).slice(folder.length + 1));
  }
  expect(places).toEqual(['p.csv, row 1', 'p.csv, row 2', 'p.jsonl:2']);
});

test('stops at the signal, and a break closes the source', async () => {
  const abort = new AbortController();
  const path = file('long.csv', `a\n${'1\n'.repeat(3000)}`);
  const stopped = async () => {
    for await (const _ of readRows(path, { signal: abort.signal })) {
      expect(abort.signal.aborted).toBe(false);
      abort.abort();
    }
  };
  await expect(stopped()).rejects.toMatchObject({ code: 'aborted' });

  let closed = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.from('{"a":1}\n');
    } finally {
      closed = true;
    }
  }
  for await (const _ of readRows(endless())) break;
  expect(closed).toBe(true);

  for (const first of ['PK\x03\x04', '[', gzipSync('[1]'), gzipSync('a,b\n1\n')]) {
    closed = false;
    async function* refused() {
      try {
        yield Buffer.from(first);
        yield Buffer.alloc(64);
      } finally {
        closed = true;
      }
    }
    await expect(collect(refused())).rejects.toMatchObject({ disposition: 'abort' });
    expect(closed).toBe(true);
  }
});
