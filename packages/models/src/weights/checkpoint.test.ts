import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RedefError } from '@redef/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckpoint } from './checkpoint.js';
import { writeSafetensors } from './safetensors.js';

const layout = (name: string) => fileURLToPath(new URL(`../../test/fixtures/layouts/${name}`, import.meta.url));
const expected: Record<string, { shape: number[]; values: number[] }> = JSON.parse(
  readFileSync(layout('expected.json'), 'utf8'),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redef-checkpoint-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readAll(path: string): Promise<Record<string, { shape: readonly number[]; values: number[] }>> {
  const checkpoint = await openCheckpoint(path);
  try {
    const entries = [...checkpoint.tensors].map(
      async ([name, tensor]) =>
        [name, { shape: tensor.shape, values: [...(await tensor.read())] }] as [
          string,
          { shape: readonly number[]; values: number[] },
        ],
    );
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await checkpoint.close();
  }
}

async function failure(path: string): Promise<RedefError> {
  const error = await readAll(path).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!RedefError.isInstance(error)) throw error ?? new Error('nothing was refused');
  return error;
}

test.each(['zip.bin', 'legacy.bin', 'training-legacy.bin'])(
  '%s: every type, view and shape of PyTorch',
  async (name) => {
    expect(await readAll(layout(name))).toEqual(expected);
  },
);

test('a state_dict with its metadata', async () => {
  expect(Object.keys(await readAll(layout('state-dict.bin')))).toEqual(['weight', 'bias']);
});

test('a pickled module is refused, not built', async () => {
  const error = await failure(layout('whole-module.bin'));
  expect(error.code).toBe('unsafe-weights');
  expect(error.message).toMatch(/torch\.nn\.modules\.linear\.Linear/);
});

test.each([
  ['doubled forty times', `N${'q\x01h\x01\x86'.repeat(40)}`],
  ['300,000 deep', `N${'\x85'.repeat(300_000)}`],
  ['None', 'N'],
])('a legacy file whose list of storages names one by a nested value is refused: %s', async (_name, value) => {
  const head = '\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.\x80\x02}.';
  const path = join(folder, 'nested.bin');
  await writeFile(path, Buffer.from(`${head}\x80\x02]${value}a.`, 'latin1'));
  expect(await failure(path)).toMatchObject({
    code: 'corrupt-weights',
    message: expect.stringContaining('names one by what is no text'),
  });
});

const twoTensors = [
  { name: 'a', shape: [2, 3], read: async () => Float32Array.of(1, 2, 3, 4, 5, 6) },
  { name: 'é', shape: [], read: async () => Float32Array.of(7) },
  { name: 'c', shape: [4], read: async () => Float32Array.of(8, 9, 10, 11) },
];
const twoTensorsRead = {
  a: { shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
  é: { shape: [], values: [7] },
  c: { shape: [4], values: [8, 9, 10, 11] },
};

test('safetensors come back as they were written, in one file or several', async () => {
  const single = join(folder, 'single', 'model.safetensors');
  expect(await writeSafetensors(single, twoTensors)).toEqual([single]);
  expect(await readAll(join(folder, 'single'))).toEqual(twoTensorsRead);
  const paths = await writeSafetensors(join(folder, 'sharded', 'model.safetensors'), twoTensors, { maxShardBytes: 24 });
  expect(paths.map((path) => path.slice(folder.length + 9))).toEqual([
    'model-00001-of-00002.safetensors',
    'model-00002-of-00002.safetensors',
    'model.safetensors.index.json',
  ]);
  expect(await readAll(join(folder, 'sharded'))).toEqual(twoTensorsRead);
});

test('safetensors read by their specification: types, metadata, order', async () => {
  const header = JSON.stringify({
    __metadata__: { format: 'pt' },
    b: { dtype: 'BF16', shape: [2], data_offsets: [4, 8] },
    a: { dtype: 'F16', shape: [1, 2], data_offsets: [0, 4] },
  });
  const path = join(folder, 'spec.safetensors');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const data = Buffer.from([0x00, 0x3c, 0x01, 0x00, 0x80, 0x3f, 0x20, 0xc0]); // 1, 2 ** -24; 1, -2.5
  await writeFile(path, Buffer.concat([length, Buffer.from(header), data]));
  expect(await readAll(path)).toEqual({
    a: { shape: [1, 2], values: [1, 2 ** -24] },
    b: { shape: [2], values: [1, -2.5] },
  });
});

test('a folder without weights, a file that is cut off, an index that points elsewhere', async () => {
  await mkdir(join(folder, 'empty'), { recursive: true });
  expect((await failure(join(folder, 'empty'))).code).toBe('file-missing');
  expect((await failure(join(folder, 'nowhere'))).code).toBe('file-missing');
  for (const name of ['zip.bin', 'legacy.bin']) {
    const path = join(folder, name);
    const whole = await readFile(layout(name));
    for (const length of [0, 3, 100, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      expect((await failure(path)).code, `${name} cut to ${length}`).toBe('corrupt-weights');
    }
  }
  const cut = join(folder, 'cut.safetensors');
  await writeSafetensors(cut, twoTensors);
  await truncate(cut, 100);
  expect((await failure(cut)).code).toBe('corrupt-weights');
  const index = join(folder, 'model.safetensors.index.json');
  for (const target of ['../secret.safetensors', '/etc/passwd', '..', '']) {
    await writeFile(index, JSON.stringify({ weight_map: { a: target } }));
    expect((await failure(index)).code).toBe('corrupt-weights');
  }
  await writeFile(index, '{');
  expect((await failure(index)).code).toBe('corrupt-weights');
});

test.each([
  ['a header longer than the file', (header: object) => header, 1n << 40n],
  ['a header that is a list', () => [], undefined],
  ['a tensor beyond the end', () => ({ a: { dtype: 'F32', shape: [4], data_offsets: [0, 16] } }), undefined],
  ['a shape that its bytes do not fill', () => ({ a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } }), undefined],
  [
    'a shape beyond counting',
    () => ({ a: { dtype: 'F32', shape: [2 ** 52, 2 ** 52, 0.5], data_offsets: [0, 8] } }),
    undefined,
  ],
  ['an unknown type', () => ({ a: { dtype: 'F8', shape: [8], data_offsets: [0, 8] } }), undefined],
  ['a gap', () => ({ a: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } }), undefined],
])('safetensors with %s are refused', async (_name, build, claimed) => {
  const header = Buffer.from(JSON.stringify(build({})));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(claimed ?? BigInt(header.length));
  const path = join(folder, 'bad.safetensors');
  await writeFile(path, Buffer.concat([length, header, Buffer.alloc(8)]));
  expect((await failure(path)).code).toBe('corrupt-weights');
});

test('an index: a part that is missing, or without a tensor it should have, is told by name', async () => {
  const path = join(folder, 'parts', 'model.safetensors');
  await writeSafetensors(path, twoTensors, { maxShardBytes: 24 });
  const index = `${path}.index.json`;
  const { weight_map } = JSON.parse(await readFile(index, 'utf8'));
  await writeFile(index, JSON.stringify({ weight_map: { ...weight_map, b: 'model-00002-of-00002.safetensors' } }));
  expect(await failure(index)).toMatchObject({
    code: 'corrupt-weights',
    message: `${index}: tensor b is not in model-00002-of-00002.safetensors, nor in another part`,
  });
  const part = join(folder, 'parts', 'model-00002-of-00002.safetensors');
  await rm(part);
  expect(await failure(join(folder, 'parts'))).toMatchObject({
    code: 'file-missing',
    message: expect.stringContaining(part),
  });
});

test('an empty tensor starts where the next one does', async () => {
  const path = join(folder, 'empty.safetensors');
  const header = Buffer.from(
    JSON.stringify({
      a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
      none: { dtype: 'F32', shape: [0, 3], data_offsets: [0, 0] },
      last: { dtype: 'F32', shape: [0], data_offsets: [4, 4] },
    }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  await writeFile(path, Buffer.concat([length, header, Buffer.from(Float32Array.of(7).buffer)]));
  expect(await readAll(path)).toEqual({
    a: { shape: [1], values: [7] },
    none: { shape: [0, 3], values: [] },
    last: { shape: [0], values: [] },
  });
});

/** One tensor of four stored numbers, in the layout before zip archives. */
function legacyFile(shape: string, strides: string): Buffer {
  const head = '\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.';
  const storage = '(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04NtQ';
  const tensor = `ctorch._utils\n_rebuild_tensor_v2\n(${storage}K\x00${shape}${strides}\x89}tR`;
  const pickles = `${head}\x80\x02}X\x01\x00\x00\x00w${tensor}s.\x80\x02]X\x01\x00\x00\x000a.`;
  const count = Buffer.alloc(8);
  count.writeBigInt64LE(4n);
  return Buffer.concat([Buffer.from(pickles, 'latin1'), count, Buffer.from(Float32Array.of(1, 2, 3, 4).buffer)]);
}

test('a tensor that expand stretched is read; one that would fill the memory is refused by name', async () => {
  const path = join(folder, 'expanded.bin');
  await writeFile(path, legacyFile('K\x03K\x04\x86', 'K\x00K\x01\x86')); // (3, 4) with strides (0, 1)
  expect(await readAll(path)).toEqual({ w: { shape: [3, 4], values: [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4] } });
  await writeFile(path, legacyFile('J\xff\xff\xff\x7fK\x04\x86', 'K\x00K\x01\x86'));
  expect(await failure(path)).toMatchObject({
    code: 'corrupt-weights',
    message: expect.stringContaining('tensor w makes 8589934588 numbers of 4'),
  });
});

test('a zip archive that points beyond 2^53 is refused', async () => {
  const bytes = await readFile(layout('zip.bin'));
  for (const [place, byte] of [
    [380560663, 4],
    [1342889813, 84],
    [1619438967, 243],
    [1198783202, 206],
  ] as const) {
    bytes[place % bytes.length] = byte;
  }
  const path = join(folder, 'far.bin');
  await writeFile(path, bytes);
  expect((await failure(path)).code).toBe('corrupt-weights');
});

test('whatever happens to the bytes of a file, it is read or refused', async () => {
  const originals: [string, Buffer][] = [
    ['.bin', await readFile(layout('zip.bin'))],
    ['.bin', await readFile(layout('legacy.bin'))],
  ];
  const whole = join(folder, 'whole.safetensors');
  await writeSafetensors(whole, twoTensors);
  originals.push(['.safetensors', await readFile(whole)]);
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...originals), edits, fc.nat(), async ([extension, original], changes, cut) => {
      const bytes = Buffer.from(original.subarray(0, cut % 5 === 0 ? cut % original.length : undefined));
      for (const [place, byte] of changes) if (bytes.length > 0) bytes[place % bytes.length] = byte;
      const path = join(folder, `fuzz${extension}`);
      await writeFile(path, bytes);
      const error = await readAll(path).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) expect(RedefError.isInstance(error), String(error)).toBe(true);
    }),
    { numRuns: 250 },
  );
});
