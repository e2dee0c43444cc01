import { createRng, RedefError, type Rng } from '@redef/core';
import { type CompiledGraph, compile } from './compile.js';
import type { DeviceTensor, Driver, Executable } from './driver.js';
import { type TypedArray, toTypedArray } from './dtype.js';
import { describe } from './errors.js';
import { describeOutside, findOutside } from './index-range.js';
import { loopSteps, stepCount } from './loop.js';
import { drawNoise } from './noise.js';
import { createOnnxRuntimeDriver } from './onnxruntime-driver.js';
import { type Shape, sizeOf } from './shape.js';
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

/** What one of several steps is given. */
export interface Step extends RunSessionOptions {
  feeds: Feeds;
}

/** A graph made ready to run, with the variables it works on. */
export class Session<Name extends string> {
  #running = false;
  #looped: { graph: CompiledGraph; executable: Executable } | undefined;

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
    const graph = compile(outputs, updates, variables.driver.lowering, variables.driver.precision);
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
  async run(feeds: Feeds, options: RunSessionOptions = {}): Promise<Record<Name, TypedArray>> {
    return this.#alone(async () => {
      const uploaded = this.#upload(this.graph, (input) => [input.shape, arrayFor(input, { feeds, ...options })]);
      return this.#execute(this.executable, this.graph, uploaded);
    });
  }

  /**
   * Runs the graph once for each step, in order. Where the device would give variables back after every run (CUDA and
   * DirectML), all steps are one run; its memory holds what is fed, noise included, for all of them at once.
   *
   * @returns the outputs of each step
   * @throws as {@link Session.run}; the variables are then as after a step before the failing one
   */
  async runSteps(steps: readonly Step[]): Promise<Record<Name, TypedArray>[]> {
    const { driver } = this.variables;
    if (!driver.loopsSteps || steps.length < 2) {
      const results: Record<Name, TypedArray>[] = [];
      for (const { feeds, ...options } of steps) results.push(await this.run(feeds, options));
      return results;
    }
    return this.#alone(async () => {
      if (!this.#looped) {
        const graph = loopSteps(this.graph);
        this.#looped = { graph, executable: await driver.load(graph) };
      }
      const { graph, executable } = this.#looped;
      const uploaded = this.#upload(graph, (input) => {
        if (input.name === stepCount) return [[], BigInt64Array.of(BigInt(steps.length))];
        const shape = input.shape.slice(1);
        return [[steps.length, ...shape], join(steps.map((step) => arrayFor({ ...input, shape }, step)))];
      });
      const stacked = await this.#execute(executable, graph, uploaded);
      return steps.map((_, step) => {
        const slice = (array: TypedArray) => {
          const size = array.length / steps.length;
          return array.slice(step * size, (step + 1) * size);
        };
        return Object.fromEntries(this.names.map((name) => [name, slice(stacked[name])])) as Record<Name, TypedArray>;
      });
    });
  }

  /** Frees the runtime's memory. The variables stay usable by other sessions. */
  async close(): Promise<void> {
    await this.executable.release();
    await this.#looped?.executable.release();
  }

  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running) {
      throw new RedefError('A session was asked to run while it was running', {
        code: 'session-busy',
        remedy: 'Await each run before the next.',
      });
    }
    this.#running = true;
    try {
      return await work();
    } finally {
      this.#running = false;
    }
  }

  /** A tensor for each input: a variable's own, or what `arrayOf` gives. */
  #upload(
    graph: CompiledGraph,
    arrayOf: (input: CompiledGraph['inputs'][number]) => [Shape, TypedArray],
  ): Map<string, DeviceTensor> {
    const { driver } = this.variables;
    return new Map(
      graph.inputs.map((input) => {
        const { name, dtype, source } = input;
        return [name, source.kind === 'variable' ? this.variables.get(name) : driver.upload(dtype, ...arrayOf(input))];
      }),
    );
  }

  async #execute(
    executable: Executable,
    graph: CompiledGraph,
    inputs: ReadonlyMap<string, DeviceTensor>,
  ): Promise<Record<Name, TypedArray>> {
    const results = await executable.run(inputs).finally(() => {
      for (const { name, source } of graph.inputs) if (source.kind !== 'variable') inputs.get(name)!.release();
    });
    for (const [variable, output] of graph.updates) this.variables.replace(variable, results.get(output)!);
    const arrays = {} as Record<Name, TypedArray>;
    for (const name of this.names) {
      const result = results.get(name)!;
      arrays[name] = await result.read();
      result.release();
    }
    return arrays;
  }
}

/** What an input that is no variable takes at a step. */
function arrayFor(input: CompiledGraph['inputs'][number], { feeds, seed }: Step): TypedArray {
  const { source, name, shape } = input;
  if (source.kind === 'input') return checkFeed(input, Object.hasOwn(feeds, name) ? feeds[name] : undefined);
  if (seed === undefined) {
    throw new RedefError('The graph has dropout, but the run was given no seed', {
      code: 'missing-seed',
      remedy: 'Pass { seed } to run, another at each step.',
    });
  }
  return drawNoise(seed, name, sizeOf(shape));
}

function join(arrays: readonly TypedArray[]): TypedArray {
  const [first] = arrays as [Float32Array];
  const joined = new (first.constructor as Float32ArrayConstructor)(first.length * arrays.length);
  for (const [index, array] of arrays.entries()) joined.set(array as Float32Array, index * first.length);
  return joined;
}

function checkFeed(input: CompiledGraph['inputs'][number], value: Feeds[string] | undefined): TypedArray {
  const invalid = (problem: string, remedy = 'Feed each input as many numbers as its shape has elements.') =>
    new RedefError(`Input ${describe(input)}: ${problem}`, { code: 'invalid-feed', remedy });
  if (value === undefined) throw invalid('nothing was fed');
  const values = typeof value === 'number' ? [value] : value;
  const size = sizeOf(input.shape);
  if (values.length !== size) throw invalid(`expected ${size} numbers, got ${values.length}`);
  const array = toTypedArray(input.dtype, values, invalid);
  for (const { line, ...range } of input.ranges ?? []) {
    const position = findOutside(array, range);
    if (position < 0) continue;
    throw invalid(
      `${describeOutside(array, position, range)}, as ${line} takes them`,
      'Check the ids and labels: they number rows of a table, or classes, from 0.',
    );
  }
  return array;
}
