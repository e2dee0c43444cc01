import { compile, type DType, type Shape, type Tensor, type TypedArray, type Variables } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';

/** Numbers and their shape. */
export interface Values {
  dtype: DType;
  shape: Shape;
  data: TypedArray;
}

/** ONNX Runtime would print errors that are thrown as well. */
const silent = 4;

/**
 * Runs a graph with free axes: sizes may be others at each run. Weights are taken from the variables once, as they are
 * when the session is made.
 */
export class FreeSession {
  private constructor(
    private readonly session: InferenceSession,
    private readonly weights: Readonly<Record<string, OrtTensor>>,
    private readonly inputs: readonly { name: string; dtype: DType }[],
  ) {}

  static async create(
    outputs: Readonly<Record<string, Tensor>>,
    variables: Variables,
    { threads }: { threads?: number } = {},
  ): Promise<FreeSession> {
    const graph = compile(outputs);
    const weights: Record<string, OrtTensor> = {};
    const inputs: { name: string; dtype: DType }[] = [];
    for (const { source, name, dtype, shape } of graph.inputs) {
      if (source.kind === 'variable') weights[name] = toOrt({ dtype, shape, data: await variables.read(name) });
      else inputs.push({ name, dtype });
    }
    const session = await InferenceSession.create(graph.model, {
      ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
      enableMemPattern: false, // patterns are for sizes that repeat
      logSeverityLevel: silent,
    });
    return new FreeSession(session, weights, inputs);
  }

  /** @throws `RedefError` `decode-failed` */
  async run(feeds: Readonly<Record<string, Values>>): Promise<Record<string, Values>> {
    const tensors: Record<string, OrtTensor> = { ...this.weights };
    for (const { name } of this.inputs) tensors[name] = toOrt(feeds[name]!);
    try {
      const results = await this.session.run(tensors, { logSeverityLevel: silent });
      return Object.fromEntries(
        Object.entries(results).map(([name, { type, dims, data }]) => [
          name,
          { dtype: type as DType, shape: dims, data: data as TypedArray },
        ]),
      );
    } catch (cause) {
      throw new RedefError(`The decoder could not run its step: ${(cause as Error).message}`, {
        code: 'decode-failed',
        remedy: 'Take a smaller batch or width if memory ran out.',
        cause,
      });
    }
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function toOrt({ dtype, shape, data }: Values): OrtTensor {
  return new OrtTensor(dtype, data as Float32Array, [...shape]);
}
