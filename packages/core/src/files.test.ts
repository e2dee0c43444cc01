import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  digestFile,
  makeFolder,
  readJsonlLines,
  readManifest,
  readRecords,
  removeLeftovers,
  removeStalePartials,
  writeAtomically,
  writeFileAtomic,
  writeJsonl,
  writeJsonlTables,
  writeManifest,
} from './files.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redef-core-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = async (source: string | AsyncIterable<Uint8Array>, options = {}): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const { value } of readJsonlLines(source, options)) values.push(value);
  return values;
};

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

test('any rows come back equal, however the bytes are cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 64 }), async (rows, size) => {
      const text = rows.map((row) => JSON.stringify(row)).join('\n');
      expect(await read(inPieces(Buffer.from(text), size))).toEqual(JSON.parse(JSON.stringify(rows)));
    }),
  );
});

test('writes whole files: rows in order, their number, no neighbour left', async () => {
  const path = join(folder, 'deep', 'er', 'rows.jsonl');
  const rows = Array.from({ length: 10_000 }, (_, i) => ({ i, text: 'ü\n\u2028'.repeat(i % 50) }));
  expect(await writeJsonl(path, rows)).toBe(10_000);
  expect(await read(path)).toEqual(rows);
  expect(readdirSync(join(folder, 'deep', 'er'))).toEqual(['rows.jsonl']);
});

test('a writer that fails in the middle leaves the old file as it was', async () => {
  const path = join(folder, 'kept.jsonl');
  await writeJsonl(path, [1]);
  async function* failing(): AsyncGenerator<number> {
    for (let i = 0; i < 100_000; i++) yield i;
    throw new Error('source broke');
  }
  await expect(writeJsonl(path, failing())).rejects.toThrow('source broke');
  const stop = new AbortController();
  stop.abort();
  await expect(writeJsonl(path, [1, 2], { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
  expect(readFileSync(path, 'utf8')).toBe('1\n');
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
});

test("an error of the source that names another path stays the source's own", async () => {
  const missing = join(folder, 'input-that-is-not-there');
  async function* source(): AsyncGenerator<string> {
    yield readFileSync(missing, 'utf8');
  }
  await expect(writeJsonl(join(folder, 'out.jsonl'), source())).rejects.toMatchObject({
    code: 'ENOENT',
    path: missing,
  });
});

test('what a killed process left half-written is removed, what a living one writes is not', async () => {
  const place = mkdtempSync(join(folder, 'stale-'));
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  const here = hostname();
  await makeFolder(join(place, 'below'));
  const gone = [`a.${dead}.partial`, `below/b.${here}.${dead}-7.partial`, `c.node-7.${process.pid}-1.partial`];
  const stays = [`d.${here}.${process.pid}-2.partial`, `e.${process.pid}.partial`, `f.node-7.${dead}-3.partial`];
  for (const name of [...gone, ...stays, 'g.partial', 'h']) writeFileSync(join(place, name), '');
  const yesterday = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(place, gone[2]!), yesterday, yesterday);
  await removeStalePartials(place);
  expect(readdirSync(place, { recursive: true }).sort()).toEqual(['below', ...stays, 'g.partial', 'h']);
  await removeStalePartials(join(place, 'nowhere'));
});

test('a write removes what killed writers of the same path left, files and folders, and nothing else', async () => {
  const place = mkdtempSync(join(folder, 'same-'));
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  const left = (name: string, pid: number, host = hostname()) => join(place, `${name}.${host}.${pid}-1.partial`);
  await makeFolder(left('a.csv', dead));
  writeFileSync(join(left('a.csv', dead), 'rows'), 'half');
  const stays = [left('a.csv', process.pid), left('a.csv', dead, 'node-7'), left('b.csv', dead)];
  for (const path of stays) writeFileSync(path, 'half');
  await writeFileAtomic(join(place, 'a.csv'), 'whole');
  expect(readdirSync(place).sort()).toEqual(['a.csv', ...stays.map((path) => basename(path))].sort());
});

test('a link is followed, also one that leads to nothing yet, and permissions are kept', async () => {
  const place = mkdtempSync(join(folder, 'links-'));
  mkdirSync(join(place, 'real'));
  const real = join(place, 'real', 'file');
  symlinkSync('real', join(place, 'folder'));
  symlinkSync('../real/next', join(place, 'real', 'first'));
  symlinkSync('file', join(place, 'real', 'next'));
  symlinkSync(join('folder', 'first'), join(place, 'link'));
  for (const [text, mode] of [
    ['made', 0o600],
    ['again', 0o444],
    ['last', 0o666],
  ] as const) {
    await writeFileAtomic(join(place, 'link'), text);
    expect(
      lstatSync(join(place, 'link')).isSymbolicLink() && lstatSync(join(place, 'real', 'next')).isSymbolicLink(),
    ).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe(text);
    chmodSync(real, mode);
    await writeFileAtomic(real, text);
    expect(statSync(real).mode & 0o777).toBe(mode);
  }
  expect(readdirSync(join(place, 'real')).sort()).toEqual(['file', 'first', 'next']);

  symlinkSync('loop', join(place, 'loop'));
  await expect(writeFileAtomic(join(place, 'loop'), '')).rejects.toMatchObject({ code: 'invalid-path' });
  for (const path of ['/dev/null', '.', place, `${place}/`, join(place, 'folder')]) {
    await expect(writeFileAtomic(path, ''), path).rejects.toMatchObject({ code: 'not-a-file' });
  }
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test('who is alone in a folder removes all that others left unfinished or locked', async () => {
  const place = mkdtempSync(join(folder, 'alone-'));
  await makeFolder(join(place, 'model'));
  const lock = 'model/checkpoints.lock-01234567-89ab-cdef-0123-456789abcdef';
  for (const name of ['a.node-7.1-1.partial', lock, 'b', 'c.lock-me']) writeFileSync(join(place, name), '');
  await removeLeftovers(place);
  expect(readdirSync(place, { recursive: true }).sort()).toEqual(['b', 'c.lock-me', 'model']);
  await removeLeftovers(join(place, 'nowhere'));
});

test('two writers of one path in one process do not meet: the last to end stands whole', async () => {
  const path = join(folder, 'twice');
  await Promise.all(Array.from({ length: 20 }, (_, i) => writeFileAtomic(path, `${i}`.repeat(10_000))));
  expect(readFileSync(path, 'utf8')).toMatch(/^(\d|1\d)\1{9999}$/);
});

test('several tables of one pass appear together or not at all', async () => {
  const paths = { odd: join(folder, 'odd.jsonl'), even: join(folder, 'even.jsonl') };
  const fill = (until: number) =>
    writeJsonlTables(paths, async (write) => {
      for (let i = 0; i < 5; i++) {
        if (i === until) throw new Error('stopped');
        await write(i % 2 === 0 ? 'even' : 'odd', i);
      }
      return 5;
    });
  await expect(fill(3)).rejects.toThrow('stopped');
  expect(existsSync(paths.odd) || existsSync(paths.even)).toBe(false);
  expect(await fill(9)).toBe(5);
  expect(await read(paths.odd)).toEqual([1, 3]);
  expect(await read(paths.even)).toEqual([0, 2, 4]);
});

test('blank lines, CR LF and a byte order mark are accepted', async () => {
  expect(await read(inPieces(Buffer.from('\ufeff{"a":1}\r\n\r\n  \n[2]\r\n'), 3))).toEqual([{ a: 1 }, [2]]);
});

test.each([
  ['{"a":1}\n{"a":\n{"a":3}\n', /bad\.jsonl:2: not JSON/],
  ['{"a":1}\n\n{"a":2', /bad\.jsonl:3: the last line is cut off/],
  [Buffer.from([0x22, 0xff, 0x22, 0x0a]), /bad\.jsonl:1: the line is not valid UTF-8/],
  ['\u0000\u0001\n', /bad\.jsonl:1: not JSON/],
])('damaged file %# names its line', async (content, message) => {
  const path = join(folder, 'bad.jsonl');
  writeFileSync(path, content);
  await expect(read(path)).rejects.toMatchObject({ code: 'jsonl-syntax', message: expect.stringMatching(message) });
});

test('a file that is one endless line is refused before it fills the memory', async () => {
  const path = join(folder, 'line');
  writeFileSync(path, 'x'.repeat(1 << 20));
  await expect(read(path, { maxLineBytes: 1 << 19 })).rejects.toThrow(/a line longer than 524288 bytes/);
});

test('a line longer than allowed is refused wherever it ends, one as long is not', async () => {
  const text = '{"a":1}\n{"a":"xx"}\n{"a":2}';
  for (const size of [1, 4, 9, 100]) {
    await expect(read(inPieces(Buffer.from(text), size), { maxLineBytes: 9 })).rejects.toMatchObject({
      code: 'jsonl-syntax',
      message: 'standard input:2: a line longer than 9 bytes',
    });
    expect(await read(inPieces(Buffer.from(text), size), { maxLineBytes: 10 })).toHaveLength(3);
  }
  for (const maxLineBytes of [0, -1, 1.5, Number.NaN, '10']) {
    await expect(read(inPieces(Buffer.from(text), 9), { maxLineBytes })).rejects.toMatchObject({
      code: 'invalid-option',
    });
  }
});

test('a row that JSON has no form for is refused, and the older file stays', async () => {
  const path = join(folder, 'formless.jsonl');
  await writeJsonl(path, [1]);
  const round: { self?: unknown } = {};
  round.self = round;
  for (const row of [undefined, () => 1, Symbol('s'), round, 1n, { a: 1n }]) {
    await expect(writeJsonl(path, [{ a: 1 }, row])).rejects.toMatchObject({ code: 'unsupported-value' });
  }
  expect(readFileSync(path, 'utf8')).toBe('1\n');
});

test('a row of another kind is named with its line', async () => {
  const path = join(folder, 'labels.jsonl');
  writeFileSync(path, '\n{"schema":"redef.vote/1"}\n');
  const reading = async () => {
    for await (const _ of readRecords('redef.label/1', path));
  };
  await expect(reading()).rejects.toMatchObject({
    code: 'unknown-schema',
    message: expect.stringMatching(/labels\.jsonl:2/),
  });
});

test('missing files, folders in place of files and files in place of folders', async () => {
  await expect(read(join(folder, 'none'))).rejects.toMatchObject({ code: 'file-missing' });
  await expect(read(folder)).rejects.toMatchObject({ code: 'not-a-file' });
  writeFileSync(join(folder, 'plain'), '');
  await expect(writeFileAtomic(join(folder, 'plain', 'x'), '')).rejects.toMatchObject({
    code: expect.stringMatching(/not-a-folder|file-exists/),
  });
  await expect(digestFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'file-missing' });
});

test('folders are made with those above them, by several at once too; a place that cannot hold one is told at once', async () => {
  const deep = join(folder, 'p', 'q', 'r', 's');
  await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(join(folder, 'p', 'q', 't'))]);
  expect([existsSync(deep), existsSync(join(folder, 'p', 'q', 't'))]).toEqual([true, true]);
  await makeFolder(deep);
  writeFileSync(join(folder, 'p', 'file'), '');
  await expect(makeFolder(join(folder, 'p', 'file', 'x'))).rejects.toMatchObject({ code: 'not-a-folder' });
  if (existsSync('/proc/self')) {
    await expect(makeFolder('/proc/redef/x')).rejects.toMatchObject({ code: 'file-missing' });
  }
});

test('an unwritable folder', async () => {
  const locked = mkdtempSync(join(folder, 'locked-'));
  chmodSync(locked, 0o500);
  const isRoot = process.getuid?.() === 0; // who may write anywhere but into the kernel's own folders
  await expect(writeFileAtomic(join(isRoot ? '/sys' : locked, 'x'), '')).rejects.toMatchObject({
    code: 'file-permission',
  });
});

test.skipIf(!existsSync('/dev/full'))('a full disk', async () => {
  // /dev/full answers every write with ENOSPC; a link of the neighbour's name leads the next writer there.
  const place = mkdtempSync(join(folder, 'full-'));
  const path = join(place, 'full.jsonl');
  const [neighbour = ''] = await writeAtomically(path, async () => readdirSync(place));
  const next = neighbour.replace(/\d+(?=\.partial$)/, (count) => `${Number(count) + 1}`);
  symlinkSync('/dev/full', join(place, next));
  await expect(writeJsonl(path, [1])).rejects.toMatchObject({
    code: 'disk-full',
    message: expect.stringMatching(/full\.jsonl: no space left/),
  });
});

test('a manifest comes back equal; none is undefined; a damaged one is named', async () => {
  const manifest = {
    schema: 'redef.manifest/1' as const,
    stage: 'split',
    versions: { a: '1' },
    config: { rule: 'x' },
    inputs: {},
    outputs: { 'a.jsonl': 'ff' },
    counts: { in: 3, kept: 2, dropped: { why: 1 } },
  };
  await writeManifest(folder, manifest);
  expect(await readManifest(folder)).toEqual(manifest);
  expect(await readManifest(join(folder, 'deep'))).toBeUndefined();
  writeFileSync(join(folder, 'manifest.json'), '{"schema":');
  await expect(readManifest(folder)).rejects.toMatchObject({ code: 'invalid-manifest' });
  writeFileSync(join(folder, 'manifest.json'), '{"schema":"redef.manifest/1"}');
  await expect(readManifest(folder)).rejects.toMatchObject({ code: 'invalid-manifest' });
  writeFileSync(join(folder, 'manifest.json'), '{"schema":"redef.manifest/2"}');
  await expect(readManifest(folder)).rejects.toMatchObject({ code: 'unknown-schema' });
});
