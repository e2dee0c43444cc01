import { RedefError } from '@redef/core';
import type { DeviceTensor, Driver } from './driver.js';
import { type TypedArray, toTypedArray } from './dtype.js';
import { describe, valueError } from './errors.js';
import type { OnnxValue } from './onnx/model.js';
import { sameShape, sizeOf } from './shape.js';

/**
 * The values that outlive a run: weights and the state of optimizers, by name. Sessions of several graphs (one for each
 * length of input, one for training and one for evaluation) share one of these.
 */
export class Variables {
  readonly #values = new Map<string, DeviceTensor>();

  constructor(readonly driver: Driver) {}

  /** In the order in which they came. */
  get names(): string[] {
    return [...this.#values.keys()];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Makes sure that a variable is there: checks the shape of one that is, sets one that is not to `initial()`. */
  declare(value: OnnxValue, initial: () => TypedArray): void {
    const known = this.#values.get(value.name);
    if (!known) this.set(value, initial());
    else if (!sameShape(known.shape, value.shape) || known.dtype !== value.dtype) {
      throw mismatch(value, describe({ name: 'a value', dtype: known.dtype, shape: known.shape }));
    }
  }

  /** Sets a variable, whether it is there or not, to a copy of the numbers. Arrays of another number type are converted. */
  set(value: OnnxValue, data: ArrayLike<number> | TypedArray): void {
    const { name, dtype, shape } = value;
    if (data.length !== sizeOf(shape)) throw mismatch(value, `${data.length} numbers`);
    const array = toTypedArray(dtype, data, (problem) => valueError(`Variable ${describe(value)}`, problem));
    this.replace(name, this.driver.upload(dtype, shape, array === data ? array.slice() : array)); // drivers write in place
  }

  /** Puts a runtime's tensor in the place of a variable's value and releases the old one, unless it is the same. */
  replace(name: string, next: DeviceTensor): void {
    const old = this.#values.get(name);
    if (old !== next) old?.release();
    this.#values.set(name, next);
  }

  get(name: string): DeviceTensor {
    const value = this.#values.get(name);
    if (!value) {
      throw new RedefError(`There is no variable '${name}'`, {
        code: 'unknown-variable',
        remedy: 'See `names` for those there are.',
      });
    }
    return value;
  }

  /** A variable's numbers, row-major; not to be changed, and valid until the next run: copy them to keep them. */
  async read(name: string): Promise<TypedArray> {
    return this.get(name).read();
  }
}

function mismatch(value: OnnxValue, found: string): RedefError {
  return new RedefError(`Variable ${describe(value)}: found ${found}`, {
    code: 'shape-mismatch',
    remedy: 'Load values of the shape that the graph declares, or build the graph for the values at hand.',
  });
}
