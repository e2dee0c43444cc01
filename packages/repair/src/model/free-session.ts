import {
  compile,
  createOnnxRuntimeDriver,
  type DeviceTensor,
  type Driver,
  type DType,
  type Executable,
  type Provider,
  type Shape,
  type Tensor,
  type TypedArray,
  type Variables,
} from '@redef/autodiff';
import { RedefError } from '@redef/core';

/** Numbers and their shape. */
export interface Values {
  dtype: DType;
  shape: Shape;
  data: TypedArray;
}

/**
 * Runs a graph with free axes: sizes may be others at each run. Weights are taken from the variables once, as they are
 * when the session is made.
 */
export class FreeSession {
  private constructor(
    private readonly driver: Driver,
    private readonly executable: Executable,
    private readonly weights: ReadonlyMap<string, DeviceTensor>,
    private readonly inputs: readonly string[],
  ) {}

  /** On the device of the variables, by the official binding: the native driver's sessions are of one size. */
  static async create(
    outputs: Readonly<Record<string, Tensor>>,
    variables: Variables,
    options: { threads?: number } = {},
  ): Promise<FreeSession> {
    const provider = variables.driver.id.split('/').at(-1) as Provider;
    const driver = createOnnxRuntimeDriver({ ...options, provider });
    const graph = compile(outputs, [], driver.lowering);
    const weights = new Map<string, DeviceTensor>();
    const inputs: string[] = [];
    for (const { source, name, dtype, shape } of graph.inputs) {
      if (source.kind === 'variable') weights.set(name, driver.upload(dtype, shape, await variables.read(name)));
      else inputs.push(name);
    }
    return new FreeSession(driver, await driver.load(graph), weights, inputs);
  }

  /** @throws `RedefError` `decode-failed` */
  async run(feeds: Readonly<Record<string, Values>>): Promise<Record<string, Values>> {
    const tensors = new Map(this.weights);
    for (const name of this.inputs) {
      const { dtype, shape, data } = feeds[name]!;
      tensors.set(name, this.driver.upload(dtype, shape, data));
    }
    try {
      const results: Record<string, Values> = {};
      for (const [name, tensor] of await this.executable.run(tensors)) {
        results[name] = { dtype: tensor.dtype, shape: tensor.shape, data: await tensor.read() };
        tensor.release();
      }
      return results;
    } catch (cause) {
      throw new RedefError(`The decoder could not run its step: ${(cause as Error).message}`, {
        code: 'decode-failed',
        remedy: 'Take a smaller batch or width if memory ran out.',
        cause,
      });
    }
  }

  async close(): Promise<void> {
    await this.executable.release();
    for (const weight of this.weights.values()) weight.release();
  }
}
