import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeAtomically, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';
import { bytesPerElement, corrupt, elementCount, type StoredTensor, type StoredType } from './stored-tensor.js';

// The safetensors format: 8 bytes with the header's length, a JSON header, the tensors' bytes.

const storedTypes: Record<string, StoredType> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
  I64: 'int64',
  I32: 'int32',
  I16: 'int16',
  I8: 'int8',
  U8: 'uint8',
  BOOL: 'bool',
};

/** The format's own limit, against headers that would fill the memory. */
const maxHeaderBytes = 100_000_000;

const count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));
const headerSchema = v.record(
  v.string(),
  v.object({ dtype: v.string(), shape: v.array(count), data_offsets: v.tuple([count, count]) }),
);

/** Finds the tensors of a safetensors file. Their bytes must fill the file without gap or overlap, as the format asks. */
export async function indexSafetensors(file: FileHandle, path: string): Promise<Map<string, StoredTensor>> {
  const { size } = await file.stat();
  const prefix = Buffer.alloc(8);
  await file.read(prefix, 0, 8, 0);
  const headerBytes = Number(prefix.readBigUInt64LE());
  if (size < 8 || headerBytes > Math.min(maxHeaderBytes, size - 8)) {
    throw corrupt(path, 'not a safetensors file, or one that was cut off');
  }
  const text = Buffer.alloc(headerBytes);
  await file.read(text, 0, headerBytes, 8);
  const { __metadata__, ...entries } = parseHeader(text, path);
  const header = v.safeParse(headerSchema, entries);
  if (!header.success) throw corrupt(path, `header: ${v.getDotPath(header.issues[0])}: ${header.issues[0].message}`);

  const start = 8 + headerBytes;
  const tensors = new Map<string, StoredTensor>();
  let end = 0;
  const inFileOrder = Object.entries(header.output).sort(
    ([, { data_offsets: a }], [, { data_offsets: b }]) => a[0] - b[0] || a[1] - b[1], // an empty one starts where the next does
  );
  for (const [name, { dtype, shape, data_offsets }] of inFileOrder) {
    const stored = storedTypes[dtype];
    if (!stored) throw corrupt(path, `tensor ${name} has the element type ${dtype}, which is not supported`);
    const bytes = elementCount(shape) * bytesPerElement(stored);
    if (data_offsets[0] !== end || data_offsets[1] !== end + bytes) {
      throw corrupt(path, `tensor ${name} does not lie where its shape and its neighbours say`);
    }
    tensors.set(name, { dtype: stored, shape, offset: start + end });
    end = data_offsets[1];
  }
  if (start + end !== size) throw corrupt(path, `${size} bytes long, but its header describes ${start + end}`);
  return tensors;
}

/** A tensor to be written: its bytes are asked for when their turn comes. */
export interface TensorToWrite {
  name: string;
  shape: readonly number[];
  read(): Promise<Float32Array>;
}

/**
 * Writes single-precision tensors as safetensors, each file whole or not at all.
 *
 * @param path `.../model.safetensors`. Tensors that together exceed `maxShardBytes` go into `model-00001-of-00003.safetensors`
 * and so on, listed in `model.safetensors.index.json`.
 * @returns the paths written
 */
export async function writeSafetensors(
  path: string,
  tensors: readonly TensorToWrite[],
  {
    maxShardBytes = 5e9,
    metadata = { format: 'pt' },
  }: { maxShardBytes?: number; metadata?: Record<string, string> } = {},
): Promise<string[]> {
  const shards = intoShards(tensors, maxShardBytes);
  if (shards.length === 1) {
    await writeOne(path, tensors, metadata);
    return [path];
  }
  const stem = basename(path).replace(/\.safetensors$/, '');
  const number = (value: number) => String(value).padStart(5, '0');
  const fileOf: Record<string, string> = {};
  for (const [index, shard] of shards.entries()) {
    const name = `${stem}-${number(index + 1)}-of-${number(shards.length)}.safetensors`;
    await writeOne(join(dirname(path), name), shard, metadata);
    for (const tensor of shard) fileOf[tensor.name] = name;
  }
  const totalSize = tensors.reduce((total, { shape }) => total + elementCount(shape) * 4, 0);
  const indexPath = `${path}.index.json`;
  await writeFileAtomic(
    indexPath,
    `${JSON.stringify({ metadata: { total_size: totalSize }, weight_map: fileOf }, null, 2)}\n`,
  );
  return [...new Set(Object.values(fileOf))].map((name) => join(dirname(path), name)).concat(indexPath);
}

async function writeOne(
  path: string,
  tensors: readonly TensorToWrite[],
  metadata: Record<string, string>,
): Promise<void> {
  let end = 0;
  const entries = tensors.map(({ name, shape }) => {
    const start = end;
    end += elementCount(shape) * 4;
    return [name, { dtype: 'F32', shape, data_offsets: [start, end] }];
  });
  const json = JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(entries) });
  const padded = Buffer.from(json.padEnd(json.length + ((8 - (Buffer.byteLength(json) % 8)) % 8)));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(padded.length));
  await writeAtomically(path, async (file) => {
    await file.writeFile(Buffer.concat([prefix, padded]));
    for (const { name, shape, read } of tensors) {
      const values = await read();
      if (values.length !== elementCount(shape)) throw new Error(`${name}: ${values.length} numbers for [${shape}]`);
      await file.writeFile(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
  });
}

function intoShards(tensors: readonly TensorToWrite[], maxBytes: number): TensorToWrite[][] {
  const shards: TensorToWrite[][] = [[]];
  let bytes = 0;
  for (const tensor of tensors) {
    const size = elementCount(tensor.shape) * 4;
    if (bytes > 0 && bytes + size > maxBytes) {
      shards.push([]);
      bytes = 0;
    }
    shards.at(-1)!.push(tensor);
    bytes += size;
  }
  return shards;
}

function parseHeader(text: Buffer, path: string): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (cause) {
    throw corrupt(path, 'the header is not JSON', cause);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw corrupt(path, 'the header is not a JSON object');
  }
  return { ...header };
}
