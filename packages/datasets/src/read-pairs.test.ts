import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { type Pair, readPairs } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'redef-pairs-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function pairs(source: string | Uint8Array, target: string): Promise<Pair[]> {
  writeFileSync(join(folder, 'a'), source);
  writeFileSync(join(folder, 'b'), target);
  const all: Pair[] = [];
  for await (const pair of readPairs(join(folder, 'a'), join(folder, 'b'))) all.push(pair);
  return all;
}

test('reads line by line, empty lines and a last line without an end too', async () => {
  expect(await pairs('a\r\n\nc\n', 'x\n y \nz')).toEqual([
    { source: 'a', target: 'x' },
    { source: '', target: ' y ' },
    { source: 'c', target: 'z' },
  ]);
  expect(await pairs('', '')).toEqual([]);
});

test('lines end as Python ends them, also where a chunk of the file does', async () => {
  expect(await pairs('a\rb\r\nc\r', 'x\ny\rz')).toEqual([
    { source: 'a', target: 'x' },
    { source: 'b', target: 'y' },
    { source: 'c', target: 'z' },
  ]);
  const long = 'x'.repeat((1 << 18) - 1); // the CR is the last byte of a chunk
  expect(await pairs(`${long}\r\nb\n`, `1\r2\r`)).toEqual([
    { source: long, target: '1' },
    { source: 'b', target: '2' },
  ]);
  await expect(readPairs(null as unknown as string, 'b').next()).rejects.toMatchObject({ code: 'invalid-path' });
});

test('refuses files that do not belong together and bytes that are not text', async () => {
  await expect(pairs('a\nb\n', 'x\n')).rejects.toMatchObject({
    code: 'pairs-misaligned',
    message: expect.stringMatching(/b ends before line 2/),
  });
  await expect(pairs(Buffer.of(0x61, 0x0a, 0xff), 'x\ny\n')).rejects.toMatchObject({ code: 'invalid-encoding' });
});

const refinement = join(
  process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared/', import.meta.url)),
  'data/codexglue-refinement',
);
if (!existsSync(refinement)) console.warn(`SKIPPED: no ${refinement}, so no CodeXGLUE file was read`);

test.skipIf(!existsSync(refinement)).each(['valid', 'test'])('small.%s has 5,835 pairs, each once', async (split) => {
  const found = new Set<string>();
  let rows = 0;
  for await (const { source, target } of readPairs(
    join(refinement, `small.${split}.buggy`),
    join(refinement, `small.${split}.fixed`),
  )) {
    rows++;
    found.add(JSON.stringify([source, target]));
  }
  expect(rows).toBe(5835);
  expect(found.size).toBe(5835);
});
