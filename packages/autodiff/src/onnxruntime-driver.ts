import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import type { CompiledGraph } from './compile.js';
import type { DeviceTensor, Driver, Executable } from './driver.js';
import type { DType, TypedArray } from './dtype.js';
import { loadError, runError } from './runtime-errors.js';
import type { Shape } from './shape.js';

export interface OnnxRuntimeOptions {
  /** Threads inside an op. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
  /** An execution provider that the installed onnxruntime-node has. Default `cpu`; no other has been tried. */
  provider?: 'cpu' | 'cuda' | 'dml' | 'webgpu';
}

/** ONNX Runtime would print errors that are thrown as well. */
const silent = 4;

/**
 * Runs graphs through the official `onnxruntime-node`. A run blocks the event loop of its thread, and every output is
 * copied once to the host.
 */
export function createOnnxRuntimeDriver({ threads, provider = 'cpu' }: OnnxRuntimeOptions = {}): Driver {
  return {
    id: `onnxruntime-node/${provider}`,
    upload: (dtype, shape, data) => new HostTensor(dtype, shape, data),
    load: async (graph) => {
      try {
        const session = await InferenceSession.create(graph.model, {
          executionProviders: [provider],
          ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
          enableMemPattern: false, // a pattern holds every activation at once: a higher peak, and no faster
          logSeverityLevel: silent,
        });
        return new OnnxRuntimeExecutable(session, graph);
      } catch (error) {
        throw loadError(error, provider);
      }
    },
  };
}

/** A tensor of the runtime's own in host memory: fed back without a conversion. */
class HostTensor implements DeviceTensor {
  readonly value: OrtTensor;

  constructor(
    readonly dtype: DType,
    readonly shape: Shape,
    data: TypedArray,
  ) {
    this.value = new OrtTensor(dtype, data as Float32Array, [...shape]);
  }

  async read(): Promise<TypedArray> {
    return this.value.data as TypedArray;
  }

  release(): void {} // the garbage collector's
}

class OnnxRuntimeExecutable implements Executable {
  constructor(
    private readonly session: InferenceSession,
    private readonly graph: CompiledGraph,
  ) {}

  async run(inputs: ReadonlyMap<string, DeviceTensor>): Promise<ReadonlyMap<string, DeviceTensor>> {
    const feeds: Record<string, OrtTensor> = {};
    for (const [name, tensor] of inputs) feeds[name] = (tensor as HostTensor).value;
    let results: InferenceSession.OnnxValueMapType;
    try {
      results = await this.session.run(feeds, { logSeverityLevel: silent });
    } catch (error) {
      throw runError(error, this.graph);
    }
    return new Map(
      this.graph.outputs.map(({ name, dtype, shape }) => [
        name,
        new HostTensor(dtype, shape, results[name]!.data as TypedArray),
      ]),
    );
  }

  async release(): Promise<void> {
    await this.session.release();
  }
}
