import { RedefError } from '@redef/core';
import { type DType, type TypedArray, toTypedArray } from './dtype.js';
import { describe, shapeError, valueError } from './errors.js';
import { describeOutside, findOutside, type IndexRange, originOf } from './index-range.js';
import { type Initializer, zeros } from './initializers.js';
import type { Attribute } from './onnx/model.js';
import { type Shape, sizeOf } from './shape.js';
import { sourceLine } from './source-line.js';
import type { GraphNode, Pullback, Tensor } from './tensor.js';

/** What a tensor without a node is: fed at each run, kept from run to run, drawn anew at each run, or fixed. */
export type Source =
  | { kind: 'input'; freeAxes?: readonly number[] }
  | { kind: 'variable'; trainable: boolean; initialize: Initializer }
  | { kind: 'noise' }
  | { kind: 'constant'; data: TypedArray };

export interface NodeOptions {
  /** Of the result. Default: the first input's. */
  dtype?: DType;
  /** `com.microsoft` for ONNX Runtime's own ops. Default: the standard ones. */
  domain?: string;
  attributes?: Readonly<Record<string, Attribute>>;
  /** One for each of `through`. Default: none, and a gradient that would have to pass is an error. */
  pullbacks?: readonly (Pullback | undefined)[];
  /** Where gradients go on to. Default: the node's inputs; an op of several nodes can name its own inputs. */
  through?: readonly Tensor[];
  /** What numbers an operand may hold that names places in another one. */
  range?: IndexRange;
}

export type GraphOptions = Partial<Pick<Graph, 'float'>>;

/**
 * A computation under construction. Ops called on its tensors append nodes; nothing is computed until a
 * {@link Session} runs it. Shapes are fixed and checked as the graph is written.
 */
export class Graph {
  /** The type of weights and activations. */
  readonly float: 'float32' | 'float64';
  readonly #sources = new Map<string, { tensor: Tensor; source: Source }>();
  readonly #constants = new Map<string, Tensor>();
  #nodeCount = 0;
  #pullingBack: string | undefined;

  /**
   * @param options.float `float64` to check gradients; a few kernels of ONNX Runtime exist in `float32` alone
   */
  constructor({ float = 'float32' }: GraphOptions = {}) {
    this.float = float;
  }

  /**
   * A value fed at each run.
   *
   * @param freeAxes axes for which `shape` is only an example by which ops are checked: the compiled model takes any size
   * there, so no op after it may hold on to the example (`reshape` and `broadcastTo` do). A {@link Session} keeps to it.
   */
  input(name: string, shape: Shape, dtype: DType = this.float, freeAxes: readonly number[] = []): Tensor {
    return this.#declare(name, shape, dtype, { kind: 'input', freeAxes });
  }

  /** A weight: kept from run to run, and what {@link Graph.parameters} lists for training. */
  parameter(name: string, shape: Shape, initialize: Initializer = zeros): Tensor {
    return this.#declare(name, shape, this.float, { kind: 'variable', trainable: true, initialize });
  }

  /** A value kept from run to run that is not a weight: an optimizer's moments, a sum of gradients. */
  state(name: string, shape: Shape, initialize: Initializer = zeros): Tensor {
    return this.#declare(name, shape, this.float, { kind: 'variable', trainable: false, initialize });
  }

  /** Uniform integers from 0 to 65,535, drawn anew at each run from the seed given to it. */
  noise(shape: Shape): Tensor {
    return this.#declare(`noise:${this.#sources.size}`, shape, 'uint16', { kind: 'noise' });
  }

  /** Fixed numbers. They are stored in the model, so keep them small: weights are parameters, data are inputs. */
  constant(values: number | ArrayLike<number>, shape?: Shape, dtype: DType = this.float): Tensor {
    const refuse = (problem: string) => valueError(`${sourceLine()}: constant`, problem);
    const data = toTypedArray(dtype, typeof values === 'number' ? [values] : values, refuse);
    const dimensions = shape ?? (typeof values === 'number' ? [] : [data.length]);
    if (sizeOf(dimensions) !== data.length) {
      throw new RedefError(
        `${sourceLine()}: constant: ${data.length} values for the shape [${dimensions.join(', ')}]`,
        {
          code: 'shape-mismatch',
          remedy: 'Give as many values as the shape has elements.',
        },
      );
    }
    const key = `${dtype}[${dimensions}] ${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`;
    const known = this.#constants.get(key);
    if (known) return known;
    const name = `constant:${this.#sources.size}`;
    const tensor = this.#declare(name, dimensions, dtype, { kind: 'constant', data });
    this.#constants.set(key, tensor);
    return tensor;
  }

  /** The weights, in the order in which they were declared. */
  get parameters(): Tensor[] {
    return [...this.#sources.values()].flatMap(({ tensor, source }) =>
      source.kind === 'variable' && source.trainable ? [tensor] : [],
    );
  }

  /** How a tensor without a node gets its value. */
  sourceOf(tensor: Tensor): Source {
    const entry = this.#sources.get(tensor.name);
    if (!entry || entry.tensor !== tensor) throw new Error(`${describe(tensor)} is no source of this graph`);
    return entry.source;
  }

  /** Appends one ONNX node with one output: what every op is made of, and the way to add your own. */
  node(
    type: string,
    inputs: readonly Tensor[],
    shape: Shape,
    {
      dtype = inputs[0]?.dtype ?? this.float,
      domain = '',
      attributes = {},
      pullbacks = [],
      through = inputs,
      range,
    }: NodeOptions = {},
  ): Tensor {
    for (const input of inputs) {
      if (input.graph !== this) {
        throw new RedefError(`${sourceLine()}: ${type}: ${describe(input)} belongs to another graph`, {
          code: 'foreign-tensor',
          remedy: 'Build the whole computation on one Graph.',
        });
      }
    }
    if (range) this.#checkConstant(type, range);
    const order = this.#nodeCount++;
    const line = this.#pullingBack ?? sourceLine();
    const output = `${type}:${order}`;
    const node: GraphNode = { type, domain, attributes, inputs, output, order, line, ...(range && { range }) };
    return {
      graph: this,
      name: output,
      dtype,
      shape,
      node,
      through,
      pullbacks: this.#pullingBack === undefined ? pullbacks : [],
    };
  }

  /**
   * Builds a part of the backward pass: its nodes count as asked for by `line`, the forward op's, and have no gradients
   * of their own (second derivatives are not offered).
   */
  pullBack<T>(line: string, build: () => T): T {
    const outer = this.#pullingBack;
    this.#pullingBack = line;
    try {
      return build();
    } finally {
      this.#pullingBack = outer;
    }
  }

  /** Numbers that are fed are checked at each run, fixed ones here. */
  #checkConstant(type: string, range: IndexRange): void {
    const { node, name } = originOf(range.tensor);
    const source = node ? undefined : this.#sources.get(name)?.source;
    const position = source?.kind === 'constant' ? findOutside(source.data, range) : -1;
    if (source?.kind !== 'constant' || position < 0) return;
    throw shapeError(type, [range.tensor], describeOutside(source.data, position, range));
  }

  #declare(name: string, shape: Shape, dtype: DType, source: Source): Tensor {
    const invented = source.kind === 'noise' || source.kind === 'constant';
    if (this.#sources.has(name) || name === '' || (name.includes(':') && !invented)) {
      throw new RedefError(`${sourceLine()}: the name '${name}' is empty, has a colon, or is in use already`, {
        code: 'invalid-name',
        remedy: 'Give each input and variable a name of its own.',
      });
    }
    if (!shape.every((size) => Number.isSafeInteger(size) && size > 0)) {
      throw new RedefError(`${sourceLine()}: '${name}': [${shape.join(', ')}] is not a shape`, {
        code: 'shape-mismatch',
        remedy: 'Every size must be a positive integer.',
      });
    }
    const tensor: Tensor = { graph: this, name, dtype, shape, through: [], pullbacks: [] };
    this.#sources.set(name, { tensor, source });
    return tensor;
  }
}
