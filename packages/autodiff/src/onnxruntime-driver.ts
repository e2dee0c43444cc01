import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import type { CompiledGraph } from './compile.js';
import type { DeviceTensor, Driver, Executable } from './driver.js';
import type { DType, TypedArray } from './dtype.js';
import type { Precision } from './half-precision.js';
import { cpuLowering, type Lowering, webgpuLowering } from './lowering.js';
import { encodeModel } from './onnx/model.js';
import { loadError, runError } from './runtime-errors.js';
import type { Shape } from './shape.js';

/** Execution providers of ONNX Runtime that graphs are written for. */
export type Provider = 'cpu' | 'cuda' | 'dml' | 'webgpu';

export interface OnnxRuntimeOptions {
  /** Threads inside an op, on the CPU. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
  /** An execution provider that the installed onnxruntime-node has. Default `cpu`. */
  provider?: Provider;
  /** `float16`: products are computed in half precision, weights and their updates in single. Default `float32`. */
  precision?: Precision;
}

const lowerings: Record<Provider, Lowering> = { cpu: cpuLowering, cuda: {}, dml: {}, webgpu: webgpuLowering };

/** ONNX Runtime would print errors that are thrown as well. */
const silent = 4;

/**
 * Runs graphs through the official `onnxruntime-node`. A run blocks the event loop of its thread, and every output is
 * copied once to the host; but with WebGPU variables stay on the device from run to run, and with CUDA and DirectML
 * through the steps of one `Session.runSteps`.
 */
export function createOnnxRuntimeDriver({
  threads,
  provider = 'cpu',
  precision = 'float32',
}: OnnxRuntimeOptions = {}): Driver {
  const staysOnDevice = provider === 'webgpu';
  const createSession = async (model: Uint8Array, onDevice: readonly string[]) => {
    try {
      return await InferenceSession.create(model, {
        executionProviders: [provider],
        ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
        ...(onDevice.length > 0
          ? { preferredOutputLocation: Object.fromEntries(onDevice.map((name) => [name, 'gpu-buffer' as const])) }
          : {}),
        enableMemPattern: false, // a pattern holds every activation at once: a higher peak, and no faster
        logSeverityLevel: silent,
      });
    } catch (error) {
      throw loadError(error, provider);
    }
  };
  const transfer = new Transfer(createSession);
  return {
    id: `onnxruntime-node/${provider}`,
    lowering: lowerings[provider],
    precision,
    loopsSteps: provider === 'cuda' || provider === 'dml',
    upload: (dtype, shape, data) => new OnnxRuntimeTensor(toOrtTensor(dtype, shape, data), transfer),
    load: async (graph) => {
      const onDevice = staysOnDevice ? [...graph.updates.values()] : [];
      const session = await createSession(graph.model, onDevice);
      return new OnnxRuntimeExecutable(session, graph, staysOnDevice, transfer);
    },
  };
}

function toOrtTensor(dtype: DType, shape: Shape, data: TypedArray): OrtTensor {
  return new OrtTensor(dtype, data as Float32Array, [...shape]);
}

/** Moves tensors between host and device by graphs that copy: the binding has no other way that is safe. */
class Transfer {
  readonly #copiers = new Map<string, Promise<InferenceSession>>();

  constructor(
    private readonly createSession: (model: Uint8Array, onDevice: readonly string[]) => Promise<InferenceSession>,
  ) {}

  async move(tensor: OrtTensor, to: 'host' | 'device'): Promise<OrtTensor> {
    const { type: dtype, dims: shape } = tensor as { type: DType; dims: Shape };
    const key = `${to} ${dtype} ${shape}`;
    let copier = this.#copiers.get(key);
    if (!copier) {
      const nodes = [{ name: 'copy', type: 'Identity', domain: '', attributes: {}, inputs: ['x'], outputs: ['y'] }];
      const model = encodeModel({
        nodes,
        inputs: [{ name: 'x', dtype, shape }],
        outputs: [{ name: 'y', dtype, shape }],
        constants: [],
      });
      copier = this.createSession(model, to === 'device' ? ['y'] : []);
      this.#copiers.set(key, copier);
    }
    const { y } = await (await copier).run({ x: tensor });
    return y as OrtTensor;
  }
}

/** A tensor of the runtime's own, on the host or on the device. */
class OnnxRuntimeTensor implements DeviceTensor {
  constructor(
    public value: OrtTensor,
    private readonly transfer: Transfer,
  ) {}

  get dtype(): DType {
    return this.value.type as DType;
  }

  get shape(): Shape {
    return this.value.dims;
  }

  get onDevice(): boolean {
    return this.value.location !== 'cpu';
  }

  async read(): Promise<TypedArray> {
    const onHost = this.onDevice ? await this.transfer.move(this.value, 'host') : this.value;
    return onHost.data as TypedArray;
  }

  /** So that a variable which no step changes is not sent anew at each run. */
  async keepOnDevice(): Promise<void> {
    if (!this.onDevice) this.value = await this.transfer.move(this.value, 'device');
  }

  release(): void {
    if (this.onDevice) this.value.dispose(); // the host's memory is the garbage collector's
  }
}

class OnnxRuntimeExecutable implements Executable {
  constructor(
    private readonly session: InferenceSession,
    private readonly graph: CompiledGraph,
    private readonly staysOnDevice: boolean,
    private readonly transfer: Transfer,
  ) {}

  async run(inputs: ReadonlyMap<string, DeviceTensor>): Promise<ReadonlyMap<string, DeviceTensor>> {
    const feeds: Record<string, OrtTensor> = {};
    for (const { name, source } of this.graph.inputs) {
      const tensor = inputs.get(name) as OnnxRuntimeTensor;
      if (this.staysOnDevice && source.kind === 'variable') await tensor.keepOnDevice();
      feeds[name] = tensor.value;
    }
    let results: InferenceSession.OnnxValueMapType;
    try {
      results = await this.session.run(feeds, { logSeverityLevel: silent });
    } catch (error) {
      throw runError(error, this.graph);
    }
    return new Map(
      Object.entries(results).map(([name, value]) => [name, new OnnxRuntimeTensor(value as OrtTensor, this.transfer)]),
    );
  }

  async release(): Promise<void> {
    await this.session.release();
  }
}
