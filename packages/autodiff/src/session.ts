import { createRng, RedefError, type Rng } from '@redef/core';
import { type CompiledGraph, compile } from './compile.js';
import type { DeviceTensor, Driver, Executable } from './driver.js';
import { type TypedArray, toTypedArray } from './dtype.js';
import { describe } from './errors.js';
import { drawNoise } from './noise.js';
import type { OnnxValue } from './onnx/model.js';
import { createOnnxRuntimeDriver } from './onnxruntime-driver.js';
import { sizeOf } from './shape.js';
import type { Tensor, Update } from './tensor.js';
import { Variables } from './variables.js';

export interface SessionOptions<Name extends string> {
  /** What {@link Session.run} computes, by the name it goes under. */
  outputs: Readonly<Record<Name, Tensor>>;
  /** What each run changes: an optimizer's `update`. */
  updates?: readonly Update[];
  /** Weights and state. Sessions that share them work on the same model. Default: new ones, initialized from `rng`. */
  variables?: Variables;
  /** Where first values come from. Default: seed 0. */
  rng?: Rng;
  /** What computes. Default: ONNX Runtime on the CPU. Variables that are given bring theirs along. */
  driver?: Driver;
}

/** A number for a scalar input, or its elements in row-major order. */
export type Feeds = Readonly<Record<string, number | ArrayLike<number> | TypedArray>>;

export interface RunSessionOptions {
  /** What noise is drawn from, such as `${seed}/${step}`. Needed where the graph has dropout. */
  seed?: string | number;
}

/** A graph made ready to run, with the variables it works on. */
export class Session<Name extends string> {
  #running = false;

  private constructor(
    readonly variables: Variables,
    private readonly names: readonly Name[],
    private readonly graph: CompiledGraph,
    private readonly executable: Executable,
  ) {}

  /**
   * Compiles and loads what the outputs and updates need of their graph.
   *
   * @throws `RedefError` `load-failed` where the runtime refuses the graph, `shape-mismatch` where shared variables have
   * other shapes
   */
  static async create<Name extends string>(options: SessionOptions<Name>): Promise<Session<Name>> {
    const { outputs, updates, rng = createRng(0), driver = createOnnxRuntimeDriver() } = options;
    const variables = options.variables ?? new Variables(driver);
    const graph = compile(outputs, updates);
    for (const { source, ...value } of graph.inputs) {
      if (source.kind === 'variable')
        variables.declare(value, () => source.initialize(value.shape, rng.fork(value.name)));
    }
    return new Session(variables, Object.keys(outputs) as Name[], graph, await variables.driver.load(graph));
  }

  /**
   * Runs the graph once and then gives the updated variables their next values.
   *
   * @param feeds a value for each input that the outputs depend on; others are ignored
   * @throws `RedefError` `invalid-feed` (names the input), `run-failed` or `out-of-memory` (name the line of the op);
   * the variables then keep their values
   */
  async run(feeds: Feeds, { seed }: RunSessionOptions = {}): Promise<Record<Name, TypedArray>> {
    if (this.#running) {
      throw new RedefError('A session was asked to run while it was running', {
        code: 'session-busy',
        remedy: 'Await each run before the next.',
      });
    }
    this.#running = true;
    try {
      const inputs = this.graph.inputs.map((input) => [input.name, this.#valueOf(input, feeds, seed)] as const);
      const results = await this.executable.run(new Map(inputs)).finally(() => {
        for (const [index, { source }] of this.graph.inputs.entries()) {
          if (source.kind !== 'variable') inputs[index]![1].release();
        }
      });
      for (const [variable, output] of this.graph.updates) this.variables.replace(variable, results.get(output)!);
      const arrays = {} as Record<Name, TypedArray>;
      for (const name of this.names) {
        const result = results.get(name)!;
        arrays[name] = await result.read();
        result.release();
      }
      return arrays;
    } finally {
      this.#running = false;
    }
  }

  /** Frees the runtime's memory. The variables stay usable by other sessions. */
  async close(): Promise<void> {
    await this.executable.release();
  }

  #valueOf(
    { source, name, dtype, shape }: CompiledGraph['inputs'][number],
    feeds: Feeds,
    seed: string | number | undefined,
  ): DeviceTensor {
    const { driver } = this.variables;
    if (source.kind === 'variable') return this.variables.get(name);
    if (source.kind === 'input')
      return driver.upload(
        dtype,
        shape,
        checkFeed({ name, dtype, shape }, Object.hasOwn(feeds, name) ? feeds[name] : undefined),
      );
    if (seed === undefined) {
      throw new RedefError('The graph has dropout, but the run was given no seed', {
        code: 'missing-seed',
        remedy: 'Pass { seed } to run, another at each step.',
      });
    }
    return driver.upload(dtype, shape, drawNoise(seed, name, sizeOf(shape)));
  }
}

function checkFeed(input: OnnxValue, value: Feeds[string] | undefined): TypedArray {
  const invalid = (problem: string) =>
    new RedefError(`Input ${describe(input)}: ${problem}`, {
      code: 'invalid-feed',
      remedy: 'Feed each input as many numbers as its shape has elements.',
    });
  if (value === undefined) throw invalid('nothing was fed');
  const values = typeof value === 'number' ? [value] : value;
  const size = sizeOf(input.shape);
  if (values.length !== size) throw invalid(`expected ${size} numbers, got ${values.length}`);
  const wantsIntegers = input.dtype === 'int32' || input.dtype === 'int64';
  if (wantsIntegers && Array.isArray(values) && !values.every(Number.isInteger)) throw invalid('expected integers');
  return toTypedArray(input.dtype, values);
}
