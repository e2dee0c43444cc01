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

/**
 * A host array of the given numbers; an array of the right kind already comes back as it is, not copied. Floats are rounded,
 * integers and bools must be held exactly.
 *
 * @param refuse makes the error for a value that the type cannot hold
 */
export function toTypedArray(
  dtype: DType,
  values: ArrayLike<number> | TypedArray,
  refuse: (problem: string) => Error,
): TypedArray {
  const holds = exactly[dtype];
  const isOfType = values instanceof arrays[dtype];
  if (isOfType && dtype !== 'bool') return values; // a byte holds more than the two values of a bool
  const array = isOfType ? (values as TypedArray) : allocate(dtype, values.length);
  if (!holds && !(values instanceof BigInt64Array)) {
    (array as Float32Array).set(values as ArrayLike<number>);
    return array;
  }
  for (let position = 0; position < values.length; position++) {
    const value = Number(values[position]);
    if (holds && !holds(value)) throw refuse(`${values[position]} at position ${position} is no ${dtype}`);
    if (!isOfType) array[position] = dtype === 'int64' ? BigInt(value) : value;
  }
  return array;
}

const within = (low: number, high: number) => (value: number) =>
  Number.isInteger(value) && value >= low && value <= high;

/** Which numbers a type holds as they are, where it is no float. */
const exactly: Partial<Record<DType, (value: number) => boolean>> = {
  int32: within(-(2 ** 31), 2 ** 31 - 1),
  int64: within(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  uint16: within(0, 2 ** 16 - 1),
  bool: within(0, 1),
};
