import { RedefError } from '@redef/core';
import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import type { CompiledGraph } from './compile.js';
import type { DeviceTensor, Driver, Executable } from './driver.js';
import type { DType, TypedArray } from './dtype.js';
import type { Shape } from './shape.js';

export interface OnnxRuntimeOptions {
  /** Threads inside an op. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
  /** An execution provider that the installed onnxruntime-node has. Default `cpu`. */
  provider?: 'cpu' | 'cuda' | 'dml';
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

function loadError(cause: unknown, provider: string): RedefError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new RedefError(`ONNX Runtime could not load the graph for provider '${provider}': ${message}`, {
    code: 'load-failed',
    remedy: "Check that the installed onnxruntime-node has the provider, or use provider: 'cpu'.",
    cause,
  });
}

/** Names the line that asked for the op which failed, and tells a lack of memory apart. */
function runError(cause: unknown, { lines }: CompiledGraph): RedefError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const node = /Name:'([^']*)'/.exec(message)?.[1];
  const line = node === undefined ? undefined : lines.get(node);
  const where = line === undefined ? '' : `${line}: `;
  if (/bad_alloc|allocate memory|out of memory/i.test(message)) {
    return new RedefError(`${where}not enough memory: ${message}`, {
      code: 'out-of-memory',
      remedy: 'Lower the batch size or the length of the sequences.',
      cause,
    });
  }
  return new RedefError(`${where}the run failed: ${message}`, {
    code: 'run-failed',
    remedy: 'Check the values fed: an id outside its table is the usual cause.',
    cause,
  });
}
