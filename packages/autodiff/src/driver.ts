import type { CompiledGraph } from './compile.js';
import type { DType, TypedArray } from './dtype.js';
import type { Precision } from './half-precision.js';
import type { Lowering } from './lowering.js';
import type { Shape } from './shape.js';

/**
 * What runs a compiled graph. A session needs no more than this, so a driver for another runtime, or a faster one for
 * the same, can take the place of {@link createOnnxRuntimeDriver}.
 */
export interface Driver {
  /** Runtime and device: `onnxruntime-node/cpu`. */
  readonly id: string;
  /** What graphs are to be written otherwise for it. Default: nothing. */
  readonly lowering?: Lowering;
  /** In which precision graphs are computed. Default `float32`. */
  readonly precision?: Precision;
  /** Set where variables leave the device after each run: several steps are then put into one, as an ONNX `Loop`. */
  readonly loopsSteps?: boolean;
  load(graph: CompiledGraph): Promise<Executable>;
  /** Hands numbers over. The array belongs to the driver from then on. */
  upload(dtype: DType, shape: Shape, data: TypedArray): DeviceTensor;
}

export interface Executable {
  /** Runs once, with a tensor for each input of the graph; gives one for each output. An update may come in the tensor of its variable. */
  run(inputs: ReadonlyMap<string, DeviceTensor>): Promise<ReadonlyMap<string, DeviceTensor>>;
  release(): Promise<void>;
}

/** Numbers where the runtime keeps them. */
export interface DeviceTensor {
  readonly dtype: DType;
  readonly shape: Shape;
  /** Whether the numbers lie in a device's memory, not the host's. */
  readonly onDevice: boolean;
  /** The numbers on the host; not to be changed. A variable's are valid until it is released or updated. */
  read(): Promise<TypedArray>;
  /** Says that the tensor will not be used again. */
  release(): void;
}
