import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { readRows, writeRows } from '@redef/datasets';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../run.js';

const folder = mkdtempSync(join(tmpdir(), 'redef-audit-'));
afterAll(() => rm(folder, { recursive: true }));

async function redef(args: string[], stdin = ''): Promise<{ code: number; stdout: string; stderr: string }> {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += chunk;
        done();
      },
    });
  const code = await run(args, {
    cwd: folder,
    env: {},
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  return { code, ...texts };
}

const csv = (rows: [string, string][]) =>
  ['source,target', ...rows.map(([source, target]) => `"${source}\n","${target}\n"`)].join('\n');
const train = csv([
  ['CWE-1 a { }', 'x'],
  ['CWE-1 a { }', 'x'],
  ['CWE-2 b { }', 'y'],
]);
const evaluated = csv([
  ['CWE-1 a { }', 'x'],
  ['CWE-1234 b { }', ''],
  ['CWE-3 c { }', 'z'],
]);
writeFileSync(join(folder, 'train.csv'), train);
writeFileSync(join(folder, 'test.csv'), evaluated);
writeFileSync(join(folder, 'test.csv.gz'), gzipSync(evaluated));
writeFileSync(join(folder, 'predictions.csv'), 'raw_predictions,correctly_predicted\nx,1\ny,0\nz,0\n');

describe('redef audit-data', () => {
  test('--json prints the audit as one object', async () => {
    const { code, stdout } = await redef(['audit-data', 'train.csv', 'test.csv', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      sets: {
        train: { rows: 3, inSetDuplicates: 1, unique: 2 },
        test: { rows: 3, inSetDuplicates: 0, unique: 3 },
      },
      crossSetDuplicates: 1,
      tagStripped: {
        sets: { train: { rows: 3, inSetDuplicates: 1, unique: 2 }, test: { rows: 3, inSetDuplicates: 0, unique: 3 } },
        crossSetDuplicates: 2,
      },
      contradictions: 1,
      afterPolicy: { cutFromTrain: { train: 1, test: 3 }, cutFromTest: { train: 2, test: 2 } },
    });
  });

  test('reads JSONL, Parquet and folders as it reads CSV', async () => {
    const counts = async (...paths: string[]) => {
      const { sets, crossSetDuplicates, tagStripped } = JSON.parse(
        (await redef(['audit-data', ...paths, '--json'])).stdout,
      );
      return { sets, crossSetDuplicates, tagStripped };
    };
    const plain = await counts('train.csv', 'test.csv');
    for (const extension of ['jsonl', 'jsonl.gz', 'parquet']) {
      const [first, second] = [`as/${extension}/train.${extension}`, `as/${extension}/test.${extension}`];
      await writeRows(join(folder, first), readRows(join(folder, 'train.csv')));
      await writeRows(join(folder, second), readRows(join(folder, 'test.csv')));
      expect(await counts(first, second)).toEqual(plain);
    }
    expect(await counts('data=as/parquet')).toMatchObject({ sets: { data: { rows: 6, unique: 4 } } });
  });

  test('reads gzip and standard input, and names sets', async () => {
    const plain = await redef(['audit-data', 'train.csv', 'test.csv', '--json']);
    expect((await redef(['audit-data', 'train.csv', 'test.csv.gz', '--json'])).stdout).toBe(plain.stdout);
    expect((await redef(['audit-data', 'train=train.csv', 'test=-', '--json'], evaluated)).stdout).toBe(plain.stdout);
  });

  test('reads other encodings, and names that do not tell the format', async () => {
    writeFileSync(join(folder, 'latin'), Buffer.from('source\n"int größe"\n"int größe"\n', 'latin1'));
    expect(await redef(['audit-data', 'latin', '--json'])).toMatchObject({ code: 3 });
    const { stdout } = await redef(['audit-data', 'latin', '--encoding', 'windows-1252', '--format', 'csv', '--json']);
    expect(JSON.parse(stdout).sets).toEqual({ data: { rows: 2, inSetDuplicates: 1, unique: 1 } });
  });

  test('--fail-on ends with 1 where the data has it, and with 0 where it has not', async () => {
    const leaked = await redef(['audit-data', 'train.csv', 'test.csv', '--fail-on', 'leak']);
    expect(leaked).toMatchObject({ code: 1, stderr: expect.stringContaining('leak') });
    expect(leaked.stdout).toContain('Of the 3 rows of test, 1 (33.3%) stand in another set too.');
    expect(await redef(['audit-data', 'test.csv', '--fail-on', 'leak,duplicate'])).toMatchObject({ code: 0 });
    expect(await redef(['audit-data', 'train.csv', '--fail-on', 'leak'])).toMatchObject({ code: 0 });
    expect(await redef(['audit-data', 'train.csv', '--fail-on', 'leak,duplicate'])).toMatchObject({ code: 1 });
  });

  test('--markdown prints tables and --html writes a page', async () => {
    const { stdout } = await redef([
      'audit-data',
      'train.csv',
      'test.csv',
      '--markdown',
      '--html',
      'audit.html',
      '--near',
    ]);
    expect(stdout).toMatch(/\| exact +\| train +\| +3 \| +1 \| +2 \| +1 \|/);
    const page = readFileSync(join(folder, 'audit.html'), 'utf8');
    expect(page).toContain('<h1>Data audit</h1>');
    expect(page).not.toMatch(/<script|https?:/);
  });

  test('adds the corpus overlap and what the leak was worth', async () => {
    const { stdout } = await redef([
      'audit-data',
      'train.csv',
      'test.csv',
      '--corpus',
      'train.csv',
      '--predictions',
      'predictions.csv',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      overlap: { sets: { test: { rows: 3, matchingRows: 2 } } },
      inflation: [{ source: 'predictions.csv', leaked: { rows: 1, correct: 1 }, clean: { rows: 2, correct: 0 } }],
    });
  });

  test('--clean writes what each policy leaves, and what it removes', async () => {
    const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const cut = ['audit-data', 'train.csv', 'test.csv.gz', '--level', 'tag-stripped', '--clean'];
    expect(await redef([...cut, 'rq3a'])).toMatchObject({
      code: 0,
      stderr: 'train.csv: 0 rows kept, 3 removed\ntest.csv.gz: 3 rows kept, 0 removed\n',
    });
    expect(lines('rq3a/train.removed.jsonl').map((line) => JSON.parse(line))).toEqual([
      { set: 'train', row: 0, reason: 'cross-set-duplicate', twin: { set: 'test', row: 0 } },
      { set: 'train', row: 1, reason: 'in-set-duplicate', twin: { set: 'train', row: 0 } },
      { set: 'train', row: 2, reason: 'cross-set-duplicate', twin: { set: 'test', row: 1 } },
    ]);
    expect(await redef([...cut, 'rq3b', '--policy', 'cut-from-test'])).toMatchObject({ code: 0 });
    // The kept rows are the rows that came in, byte for byte: tags, line ends, empty targets.
    const again = await redef(['audit-data', 'rq3b/train.csv', 'rq3b/test.csv.gz', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      sets: { train: { rows: 2, inSetDuplicates: 0 }, test: { rows: 1 } },
      tagStripped: { crossSetDuplicates: 0 },
    });
    expect(readFileSync(join(folder, 'rq3b/train.csv'), 'utf8')).toContain('"CWE-2 b { }\n","y\n"');
  });

  test('reads aligned pairs: X.buggy with the X.fixed beside it', async () => {
    writeFileSync(join(folder, 'small.valid.buggy'), 'int a ( ) { }\nint b ( ) { }\nint a ( ) { }\n');
    writeFileSync(join(folder, 'small.valid.fixed'), 'int c ( ) { }\nint b ( ) { }\nint d ( ) { }\n');
    writeFileSync(join(folder, 'small.test.buggy'), 'int b ( ) { }\n');
    writeFileSync(join(folder, 'small.test.fixed'), 'int e ( ) { }\n');
    const pairs = async (...more: string[]) =>
      JSON.parse((await redef(['audit-data', 'small.valid.buggy', 'small.test.buggy', '--json', ...more])).stdout);
    expect(await pairs()).toMatchObject({
      layout: { key: ['source'], repaired: 'target' },
      sets: { train: { rows: 3, inSetDuplicates: 1 }, test: { rows: 1 } },
      crossSetDuplicates: 1,
      quality: { train: { issues: { 'before-equals-after': 1 } } },
    });
    expect(await pairs('--key', 'source,target')).toMatchObject({
      sets: { train: { inSetDuplicates: 0 } },
      crossSetDuplicates: 0,
    });
    writeFileSync(join(folder, 'alone.buggy'), 'x\n');
    expect(await redef(['audit-data', 'alone.buggy'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('alone.fixed'),
    });
  });

  test('wrong use ends with 2 before anything is read', async () => {
    for (const wrong of [
      ['train.csv', 'no-such.csv', '--level', 'near'],
      ['train.csv', 'no-such.csv', '--level', 'nearly'],
      ['train.csv', 'no-such.csv', '--near', '--level', 'near', '--clean', 'out'],
      ['train=no-such.csv', 'test=-', '--clean', 'out'],
      ['no-such.csv', '--json', '--markdown'],
      ['1=no-such.csv'],
      ['a.csv', 'b.csv', 'c.csv', 'd.csv'],
    ]) {
      expect(await redef(['audit-data', ...wrong]), wrong.join(' ')).toMatchObject({ code: 2, stdout: '' });
    }
    const many = Array.from({ length: 32 }, (_none, set) => `s${set}=train.csv`);
    expect(await redef(['audit-data', ...many])).toMatchObject({ code: 2, stderr: expect.stringContaining('31') });
  });

  test('wrong use ends with 2 and says what to do', async () => {
    expect(await redef(['audit-data', 'train.csv', 'test.csv', '--key', 'sauce'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no column "sauce"'),
    });
    expect(await redef(['audit-data', 'train.csv', 'test.csv', '--near', '3'])).toMatchObject({ code: 2 });
    expect(await redef(['audit-data', 'train=-', 'test=-'])).toMatchObject({ code: 2 });
    expect(await redef(['audit-data', 'train.csv', 'train=test.csv'])).toMatchObject({ code: 2 });
    expect(await redef(['audit-data', 'train.csv', 'no-such.csv'])).toMatchObject({ code: 3 });
  });
});
