import type { FileHandle } from 'node:fs/promises';
import { RedefError } from '@redef/core';
import yauzl from 'yauzl';
import { PickledTensor, PickleError, type Unpickled, UnpickledMap, unpickle } from './pickle.js';
import {
  bytesPerElement,
  corrupt,
  elementCount,
  extentOf,
  type StoredTensor,
  type StoredType,
} from './stored-tensor.js';
import { BoundedZipReader } from './zip-reader.js';

// `pytorch_model.bin`, as `torch.save` writes a dictionary of tensors: since PyTorch 1.6 a zip archive with the pickle
// in data.pkl and each storage in a file of its own, before that a sequence of pickles with the storages behind.

/** A dictionary of a thousand tensors takes some hundred kilobytes. */
const maxPickleBytes = 64 * 2 ** 20;

/** Elements of a tensor that `expand` made larger than its storage: against shapes that would fill the memory. */
const maxRepeated = 2 ** 24;

const storageTypes: Record<string, StoredType> = {
  DoubleStorage: 'float64',
  FloatStorage: 'float32',
  HalfStorage: 'float16',
  BFloat16Storage: 'bfloat16',
  LongStorage: 'int64',
  IntStorage: 'int32',
  ShortStorage: 'int16',
  CharStorage: 'int8',
  ByteStorage: 'uint8',
  BoolStorage: 'bool',
};

/** Where a storage lies in the file, both in bytes. */
interface Extent {
  offset: number;
  length: number;
}

/** Finds the tensors of a file written by `torch.save`, in either layout. Nothing that the file says is executed. */
export async function indexPytorch(file: FileHandle, path: string): Promise<Map<string, StoredTensor>> {
  const start = Buffer.alloc(4);
  await file.read(start, 0, 4, 0);
  try {
    const isZip = start.equals(Buffer.from('PK\x03\x04', 'latin1'));
    return isZip ? await indexZip(file, path) : await indexLegacy(file, path);
  } catch (error) {
    if (!(error instanceof PickleError)) throw error;
    if (!error.unsafe) throw corrupt(path, error.message, error);
    throw new RedefError(`${path}: refused: ${error.message}`, {
      code: 'unsafe-weights',
      remedy: 'Use the safetensors file of the same model, or save its state_dict (tensors alone) again.',
      cause: error,
    });
  }
}

async function indexZip(file: FileHandle, path: string): Promise<Map<string, StoredTensor>> {
  const extents = new Map<string, Extent>();
  let pickled: Uint8Array | undefined;
  let zip: yauzl.ZipFile | undefined;
  try {
    const { size } = await file.stat();
    zip = await yauzl.fromRandomAccessReaderPromise(new BoundedZipReader(file, size), size, { autoClose: false });
    for await (const entry of zip.eachEntry()) {
      const name = /^[^/]+\/(data\.pkl|byteorder|data\/[^/]+)$/.exec(entry.fileName)?.[1];
      if (!name) continue;
      if (entry.compressionMethod !== 0 || entry.isEncrypted())
        throw corrupt(path, `${name} is compressed or encrypted`);
      if (name.startsWith('data/')) {
        const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
        extents.set(name.slice('data/'.length), { offset: fileDataStart, length: entry.uncompressedSize });
        continue;
      }
      if (entry.uncompressedSize > maxPickleBytes) throw corrupt(path, `${name} is larger than any of its kind`);
      const parts: Buffer[] = [];
      for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
      const content = Buffer.concat(parts);
      if (name === 'data.pkl') pickled = content;
      else if (content.toString('latin1') !== 'little') throw corrupt(path, 'written on a big-endian machine');
    }
  } catch (error) {
    throw RedefError.isInstance(error)
      ? error
      : corrupt(path, `not a readable zip archive: ${(error as Error).message}`, error);
  } finally {
    zip?.close();
  }
  if (!pickled) throw corrupt(path, 'a zip archive without data.pkl');
  return locate(unpickle(pickled).value, extents, path);
}

const legacyMagic = 0x1950a86a20f9469cfc6cn;
const legacyProtocol = 1001;

async function indexLegacy(file: FileHandle, path: string): Promise<Map<string, StoredTensor>> {
  const { size } = await file.stat();
  const head = new Uint8Array(Math.min(size, maxPickleBytes));
  await file.read(head, 0, head.length, 0);
  const startsPickle = 0x80; // the opcode PROTO
  if (head[0] !== startsPickle) throw corrupt(path, 'not a file of torch.save');
  const magic = unpickle(head);
  if (magic.value !== legacyMagic) throw corrupt(path, 'not a file of torch.save');
  const protocol = unpickle(head, magic.end);
  if (protocol.value !== legacyProtocol) throw corrupt(path, 'a torch.save layout older than PyTorch 0.4');
  const system = unpickle(head, protocol.end);
  if (system.value instanceof UnpickledMap && system.value.get('little_endian') === false) {
    throw corrupt(path, 'written on a big-endian machine');
  }
  const content = unpickle(head, system.end);
  const keys = unpickle(head, content.end);
  if (!Array.isArray(keys.value)) throw corrupt(path, 'the list of storages is missing');

  const extents = new Map<string, Extent>();
  let position = keys.end;
  const prefix = Buffer.alloc(8);
  for (const key of keys.value) {
    if (typeof key !== 'string') throw corrupt(path, 'the list of storages names one by what is no text'); // not spelt: it may be nested
    const storage = content.storages.get(key);
    if (!storage) throw corrupt(path, `storage ${JSON.stringify(key.slice(0, 40))} belongs to no tensor`);
    const { bytesRead } = await file.read(prefix, 0, 8, position);
    if (bytesRead < 8 || prefix.readBigInt64LE() !== BigInt(storage.length)) {
      throw corrupt(path, `storage ${storage.key} is cut off or of another length than its tensors say`);
    }
    const length = storage.length * bytesPerElement(storageTypes[storage.type]!);
    extents.set(storage.key, { offset: position + 8, length });
    position += 8 + length;
  }
  if (position !== size) throw corrupt(path, `${size} bytes long, but its storages end at ${position}`);
  return locate(content.value, extents, path);
}

/** Checks that each tensor lies within its storage, and that within the file. */
function locate(value: Unpickled, extents: ReadonlyMap<string, Extent>, path: string): Map<string, StoredTensor> {
  const located = new Map<string, StoredTensor>();
  for (const [name, { storage, offset, shape, strides }] of tensorsOf(value, path)) {
    const extent = extents.get(storage.key);
    const dtype = storageTypes[storage.type]!;
    const bytes = bytesPerElement(dtype);
    if (!extent || storage.length * bytes > extent.length)
      throw corrupt(path, `the numbers of tensor ${name} are missing`);
    if (offset + extentOf({ shape, strides }) > storage.length) {
      throw corrupt(path, `tensor ${name} reaches beyond its storage`);
    }
    if (elementCount(shape) > Math.max(storage.length, maxRepeated)) {
      throw corrupt(path, `tensor ${name} makes ${elementCount(shape)} numbers of ${storage.length}`);
    }
    located.set(name, { dtype, shape, strides, offset: extent.offset + offset * bytes });
  }
  return located;
}

/** The tensors of a dictionary, or of the one under `state_dict` or `model` in a training checkpoint. */
function tensorsOf(value: Unpickled, path: string): Map<string, PickledTensor> {
  if (!(value instanceof UnpickledMap)) throw corrupt(path, 'not a dictionary of tensors');
  const inner = [value.get('state_dict'), value.get('model')].find((member) => member instanceof UnpickledMap);
  const tensors = new Map<string, PickledTensor>();
  for (const [name, tensor] of inner ?? value) {
    if (typeof name === 'string' && tensor instanceof PickledTensor) tensors.set(name, tensor);
  }
  if (tensors.size === 0) throw corrupt(path, 'no tensors in it');
  return tensors;
}
