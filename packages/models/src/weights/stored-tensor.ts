import type { FileHandle } from 'node:fs/promises';
import { RedefError } from '@redef/core';

/** Element types that checkpoints hold. */
export type StoredType =
  | 'float64'
  | 'float32'
  | 'float16'
  | 'bfloat16'
  | 'int64'
  | 'int32'
  | 'int16'
  | 'int8'
  | 'uint8'
  | 'bool';

/** Where a tensor lies in a file. */
export interface StoredTensor {
  dtype: StoredType;
  shape: readonly number[];
  /** Elements from one index to the next along each axis. Absent: row-major. */
  strides?: readonly number[];
  /** Of the first element, in bytes from the start of the file. */
  offset: number;
}

interface ElementReader {
  bytes: number;
  read(view: DataView, offset: number): number;
}

const readers: Record<StoredType, ElementReader> = {
  float64: { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
  float32: { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  float16: { bytes: 2, read: (view, offset) => halfToNumber(view.getUint16(offset, true)) },
  bfloat16: { bytes: 2, read: (view, offset) => bfloatToNumber(view.getUint16(offset, true)) },
  int64: { bytes: 8, read: (view, offset) => Number(view.getBigInt64(offset, true)) },
  int32: { bytes: 4, read: (view, offset) => view.getInt32(offset, true) },
  int16: { bytes: 2, read: (view, offset) => view.getInt16(offset, true) },
  int8: { bytes: 1, read: (view, offset) => view.getInt8(offset) },
  uint8: { bytes: 1, read: (view, offset) => view.getUint8(offset) },
  bool: { bytes: 1, read: (view, offset) => view.getUint8(offset) },
};

export function bytesPerElement(dtype: StoredType): number {
  return readers[dtype].bytes;
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Row-major strides of a shape. */
export function contiguousStrides(shape: readonly number[]): number[] {
  return shape.map((_, axis) => elementCount(shape.slice(axis + 1)));
}

/** One more than the largest distance, in elements, from a tensor's first element. */
export function extentOf({
  shape,
  strides = contiguousStrides(shape),
}: Pick<StoredTensor, 'shape' | 'strides'>): number {
  if (shape.includes(0)) return 0;
  return 1 + shape.reduce((reach, size, axis) => reach + (size - 1) * strides[axis]!, 0);
}

/** Reads a tensor as row-major single-precision numbers. */
export async function readStoredTensor(file: FileHandle, path: string, tensor: StoredTensor): Promise<Float32Array> {
  const { dtype, shape, offset } = tensor;
  const { bytes, read } = readers[dtype];
  const stored = new Uint8Array(extentOf(tensor) * bytes);
  for (let filled = 0; filled < stored.length; ) {
    const length = Math.min(stored.length - filled, 1 << 28); // a read beyond 2 GiB fails
    const { bytesRead } = await file.read(stored, filled, length, offset + filled);
    if (bytesRead === 0) throw corrupt(path, 'the file ends in the middle of a tensor');
    filled += bytesRead;
  }
  const isRowMajor = (tensor.strides ?? []).every(
    (stride, axis) => stride === contiguousStrides(shape)[axis] || shape[axis] === 1,
  );
  if (dtype === 'float32' && isRowMajor) return new Float32Array(stored.buffer);

  const view = new DataView(stored.buffer);
  const strides = tensor.strides ?? contiguousStrides(shape);
  const result = new Float32Array(elementCount(shape));
  const index = shape.map(() => 0);
  let position = 0;
  for (let element = 0; element < result.length; element++) {
    result[element] = read(view, position * bytes);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      position += strides[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      position -= index[axis]! * strides[axis]!;
      index[axis] = 0;
    }
  }
  return result;
}

/** A weight file that is not what it should be. */
export function corrupt(path: string, problem: string, cause?: unknown): RedefError {
  return new RedefError(`${path}: ${problem}`, {
    code: 'corrupt-weights',
    remedy: 'Download or copy the file again; if it came from someone you do not know, do not use it.',
    cause,
  });
}

function bfloatToNumber(bits: number): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const scratch = new DataView(new ArrayBuffer(4));
