import type { CompiledGraph } from '../compile.js';
import type { DeviceTensor, Driver, Executable } from '../driver.js';
import { allocate, type DType, type TypedArray } from '../dtype.js';
import { cpuLowering } from '../lowering.js';
import { elementTypes } from '../onnx/model.js';
import { loadError, runError } from '../runtime-errors.js';
import { type Shape, sizeOf } from '../shape.js';
import { type Library, loadLibrary, type Pointer } from './library.js';

export interface NativeOptions {
  /** Threads inside an op. Default: ONNX Runtime's choice, one for each physical core. */
  threads?: number;
}

/**
 * Runs graphs on the CPU through ONNX Runtime's C API, called by `koffi` (an optional dependency). Compared with the
 * official binding, results are written in place, without a copy, and a run leaves the event loop free. Equal graphs
 * give equal bits.
 *
 * Where a run fails midway, the moments of an optimizer may already hold their next values: load the last checkpoint.
 *
 * @throws `RedefError` `native-unavailable` where the library is not there or of another version
 */
export function createNativeDriver({ threads }: NativeOptions = {}): Driver {
  const library = loadLibrary();
  const memory = library.createMemoryInfo();
  const pool = new ArrayPool();
  return {
    id: 'onnxruntime-native/cpu',
    lowering: cpuLowering,
    upload: (dtype, shape, data) => new NativeTensor(library, memory, dtype, shape, data),
    load: async (graph) => {
      try {
        const session = library.createSession(graph.model, threads);
        return new NativeExecutable(library, memory, pool, session, graph);
      } catch (error) {
        throw loadError(error, 'cpu');
      }
    },
  };
}

/** Arrays whose variables have moved on to other ones: two generations of weights take turns in the same memory. */
class ArrayPool {
  readonly #free = new Map<string, TypedArray[]>();

  take(dtype: DType, length: number): TypedArray {
    return this.#free.get(`${dtype} ${length}`)?.pop() ?? allocate(dtype, length);
  }

  give(dtype: DType, array: TypedArray): void {
    const key = `${dtype} ${array.length}`;
    this.#free.set(key, [...(this.#free.get(key) ?? []), array]);
  }
}

/** A tensor of the runtime's over an array of ours. */
class NativeTensor implements DeviceTensor {
  readonly value: Pointer;
  readonly onDevice = false;
  #released = false;

  constructor(
    private readonly library: Library,
    memory: Pointer,
    readonly dtype: DType,
    readonly shape: Shape,
    readonly data: TypedArray,
    private readonly pool?: ArrayPool,
  ) {
    this.value = library.createTensor(memory, data, shape, elementTypes[dtype]);
  }

  async read(): Promise<TypedArray> {
    return this.data;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.library.releaseTensor(this.value);
    this.pool?.give(this.dtype, this.data);
  }
}

class NativeExecutable implements Executable {
  constructor(
    private readonly library: Library,
    private readonly memory: Pointer,
    private readonly pool: ArrayPool,
    private readonly session: Pointer,
    private readonly graph: CompiledGraph,
  ) {}

  async run(inputs: ReadonlyMap<string, DeviceTensor>): Promise<ReadonlyMap<string, DeviceTensor>> {
    const outputs = this.#prepareOutputs(inputs);
    try {
      await this.library.run(this.session, valuesOf(inputs), valuesOf(outputs));
    } catch (error) {
      const kept = new Set(inputs.values());
      for (const output of outputs.values()) if (!kept.has(output)) output.release();
      throw runError(error, this.graph);
    }
    return outputs;
  }

  async release(): Promise<void> {
    this.library.releaseSession(this.session);
  }

  /** A variable's next value goes over the old one where that is safe, else into an array that was used before. */
  #prepareOutputs(inputs: ReadonlyMap<string, DeviceTensor>): Map<string, DeviceTensor> {
    const { library, memory, pool, graph } = this;
    const variableOf = new Map([...graph.updates].map(([variable, output]) => [output, variable]));
    return new Map(
      graph.outputs.map(({ name, dtype, shape }) => {
        const variable = variableOf.get(name);
        if (variable !== undefined && graph.overwritable.has(variable)) return [name, inputs.get(variable)!];
        const size = sizeOf(shape);
        const isUpdate = variable !== undefined;
        const array = isUpdate ? pool.take(dtype, size) : allocate(dtype, size);
        return [name, new NativeTensor(library, memory, dtype, shape, array, isUpdate ? pool : undefined)];
      }),
    );
  }
}

function valuesOf(tensors: ReadonlyMap<string, DeviceTensor>): Map<string, Pointer> {
  return new Map([...tensors].map(([name, tensor]) => [name, (tensor as NativeTensor).value]));
}
