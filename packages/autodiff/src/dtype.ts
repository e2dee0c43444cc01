/**
 * Element types of tensors. Weights and gradients are `float32`; `float64` serves to check gradients, and `float16` exists
 * inside a graph in mixed precision alone.
 */
export type DType = keyof typeof arrays;

export type TypedArray = Float32Array | Float64Array | Int32Array | BigInt64Array | Uint16Array | Uint8Array;

/** The array that holds each element type on the host; a `bool` takes one byte. */
const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint16: Uint16Array,
  float16: Uint16Array,
  bool: Uint8Array,
} as const;

/** A zero-filled host array of `length` elements. */
export function allocate(dtype: DType, length: number): TypedArray {
  return new arrays[dtype](length);
}

/** A host array of the given numbers; an array of the right kind already comes back as it is, not copied. */
export function toTypedArray(dtype: DType, values: ArrayLike<number> | TypedArray): TypedArray {
  if (values instanceof arrays[dtype]) return values;
  if (dtype === 'int64') return BigInt64Array.from(values as ArrayLike<number>, BigInt);
  const array = allocate(dtype, values.length) as Float32Array;
  array.set(values as ArrayLike<number>);
  return array;
}
