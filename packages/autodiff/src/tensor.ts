import type { DType } from './dtype.js';
import type { Graph } from './graph.js';
import type { IndexRange } from './index-range.js';
import type { Attribute } from './onnx/model.js';
import type { Shape } from './shape.js';

/**
 * A value in a graph: not numbers, but what will hold numbers when a session runs. Made by a {@link Graph} and by ops.
 */
export interface Tensor {
  readonly graph: Graph;
  /** Unique in its graph. */
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  /** What computes it; absent for inputs, variables and constants. */
  readonly node?: GraphNode;
  /** The tensors to which gradients pass on: the node's inputs, unless the op says otherwise. */
  readonly through: readonly Tensor[];
  /** How they pass, one for each of `through`; `undefined` where none does (class numbers, masks). */
  readonly pullbacks: readonly (Pullback | undefined)[];
}

/** Turns d loss / d output of an op into d loss / d one of its inputs. */
export type Pullback = (gradient: Tensor) => Tensor;

/** Builds something of a gradient once, for the pullbacks of several inputs. */
export function shared<T>(build: (gradient: Tensor) => T): (gradient: Tensor) => T {
  const built = new Map<Tensor, T>();
  return (gradient) => {
    const known = built.get(gradient) ?? build(gradient);
    built.set(gradient, known);
    return known;
  };
}

/** One ONNX node. */
export interface GraphNode {
  readonly type: string;
  readonly domain: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly inputs: readonly Tensor[];
  /** Name of what it computes, unique in its graph. */
  readonly output: string;
  /** Its place in the order of writing: inputs come before what uses them. */
  readonly order: number;
  /** `file:line` that asked for it. */
  readonly line: string;
  /** Of numbers that are places in another tensor: a session checks those that it is fed. */
  readonly range?: IndexRange;
}

/** After each run of a session, `variable` takes the value of `next`. */
export interface Update {
  variable: Tensor;
  next: Tensor;
}
