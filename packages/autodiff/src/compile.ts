import { RedefError } from '@redef/core';
import { describe, shapeError } from './errors.js';
import { collectAncestors } from './gradients.js';
import type { Source } from './graph.js';
import { type Precision, toHalfPrecision } from './half-precision.js';
import { type IndexRange, originOf } from './index-range.js';
import { type Lowering, lower } from './lowering.js';
import { encodeModel, type OnnxGraph, type OnnxNode, type OnnxValue } from './onnx/model.js';
import { sameShape } from './shape.js';
import type { GraphNode, Tensor, Update } from './tensor.js';

/** What numbers may be fed, and the line that asked for it. */
export type FedRange = Omit<IndexRange, 'tensor'> & { line: string };

/** A graph cut down to what its outputs need, as an ONNX model. */
export interface CompiledGraph {
  /** The `.onnx` file: kilobytes, since weights are inputs. */
  model: Uint8Array;
  /** What the file holds. */
  graph: OnnxGraph;
  /** Its inputs: data, variables and noise. */
  inputs: readonly (OnnxValue & { source: Source; ranges?: readonly FedRange[] })[];
  /** Its outputs: those asked for, then the next values of the variables. */
  outputs: readonly OnnxValue[];
  /** Name of the output that holds the next value, by variable. */
  updates: ReadonlyMap<string, string>;
  /** Variables whose next value may be written over the old one: see {@link findOverwritable}. */
  overwritable: ReadonlySet<string>;
  /** `file:line` that asked for each node, by the node's name. */
  lines: ReadonlyMap<string, string>;
}

const same = <T>(tensors: T): T => tensors;

/** Name of the output that carries a variable's next value. */
const nextName = (variable: Tensor) => `next:${variable.name}`;

/**
 * Keeps what the outputs and updates need, in the order of writing, and encodes it.
 *
 * @param lowering what to write otherwise for the provider at hand
 * @param precision `float16` for mixed precision
 * @throws `RedefError` `shape-mismatch`, `foreign-tensor` or `invalid-name` where they do not go together
 */
export function compile(
  outputs: Readonly<Record<string, Tensor>>,
  updates: readonly Update[] = [],
  lowering: Lowering = {},
  precision: Precision = 'float32',
): CompiledGraph {
  checkUpdates(updates);
  const asked = [
    ...Object.entries(outputs),
    ...updates.map(({ variable, next }): [string, Tensor] => [nextName(variable), next]),
  ];
  const computed = (precision === 'float16' ? toHalfPrecision : same)(asked.map(([, tensor]) => tensor));
  const wanted = asked.map(([name], index): [string, Tensor] => [name, computed[index]!]);
  const tensors = collectAncestors(...computed, ...updates.map(({ variable }) => variable));
  const nodes = new Set(tensors.flatMap(({ node }) => node ?? []));
  const ranges = collectRanges(nodes);
  const sources = tensors.flatMap((tensor) => {
    if (tensor.node) return [];
    const source = tensor.graph.sourceOf(tensor);
    const freeAxes = source.kind === 'input' ? (source.freeAxes ?? []) : [];
    return [{ ...toValue(tensor), freeAxes, source, ranges: ranges.get(tensor.name) ?? [] }];
  });
  const isFree = sources.some(({ freeAxes }) => freeAxes.length > 0); // then any axis of an output may be
  const inputs = sources.filter(({ source }) => source.kind !== 'constant');
  const constants = sources.flatMap(({ source, ...value }) =>
    source.kind === 'constant' ? [{ ...value, data: source.data }] : [],
  );
  checkNames(tensors, Object.keys(outputs), inputs);

  const lowered = lower([...nodes], lowering);
  const graph: OnnxGraph = {
    nodes: nameOutputs(lowered.nodes, wanted),
    inputs,
    outputs: wanted.map(([name, tensor]) => {
      return { ...toValue(tensor), name, freeAxes: isFree ? tensor.shape.map((_, axis) => axis) : [] };
    }),
    constants: [...constants, ...lowered.constants],
  };
  return {
    model: encodeModel(graph),
    graph,
    inputs,
    outputs: graph.outputs,
    updates: new Map(updates.map(({ variable }) => [variable.name, nextName(variable)])),
    overwritable: findOverwritable(
      [...nodes],
      updates.map(({ variable }, index) => ({ variable, next: computed.at(index - updates.length)! })),
      computed,
    ),
    lines: lowered.lines,
  };
}

/**
 * The nodes, each computing an output under the output's own name: an Identity node in between would copy it. Only an
 * output that is an input, or another output too, takes one.
 */
function nameOutputs(nodes: readonly OnnxNode[], wanted: readonly (readonly [string, Tensor])[]): OnnxNode[] {
  const renamed = new Map<string, string>();
  const copies: { name: string; of: string }[] = [];
  for (const [name, tensor] of wanted) {
    if (tensor.node && !renamed.has(tensor.name)) renamed.set(tensor.name, name);
    else copies.push({ name, of: tensor.name });
  }
  const rename = (name: string) => renamed.get(name) ?? name;
  return [
    ...nodes.map((node) => ({ ...node, inputs: node.inputs.map(rename), outputs: node.outputs.map(rename) })),
    ...copies.map(({ name, of }) => ({
      name,
      type: 'Identity',
      domain: '',
      attributes: {},
      inputs: [rename(of)],
      outputs: [name],
    })),
  ];
}

/**
 * The variables that are read only by the node which computes the next value, element by element, or by nodes whose result
 * that node alone takes: an optimizer's moments, sums of gradients. Once it writes, nothing needs the old value. A result
 * that is taken elsewhere too may lie in the variable's own memory: a reshaped tensor does, and what the runtime sees to
 * be no change. Weights are not among them: the backward pass may read a weight after its update.
 */
function findOverwritable(
  nodes: readonly GraphNode[],
  updates: readonly Update[],
  outputs: readonly Tensor[],
): Set<string> {
  const readers = new Map<string, Set<GraphNode>>();
  for (const node of nodes) {
    for (const { name } of node.inputs) readers.set(name, (readers.get(name) ?? new Set()).add(node));
  }
  const readersOf = (name: string): GraphNode[] => [...(readers.get(name) ?? [])];
  const asked = new Set(outputs.map(({ name }) => name));
  const isElementwise = ({ type }: GraphNode) => ['Add', 'Sub', 'Mul'].includes(type);
  const isSafe = ({ variable, next: { node, name } }: Update) =>
    node !== undefined &&
    isElementwise(node) &&
    !asked.has(variable.name) &&
    outputs.filter((output) => output.name === name).length === 1 &&
    readersOf(variable.name).every(
      (reader) =>
        reader === node ||
        (!asked.has(reader.output) && readersOf(reader.output).length === 1 && readersOf(reader.output)[0] === node),
    );
  return new Set(updates.filter(isSafe).map(({ variable }) => variable.name));
}

/** By the name of the input, where one is fed what an op takes as places in another tensor. */
function collectRanges(nodes: Iterable<GraphNode>): Map<string, FedRange[]> {
  const ranges = new Map<string, FedRange[]>();
  for (const { range, line } of nodes) {
    if (!range) continue;
    const { tensor, ...numbers } = range;
    const { name } = originOf(tensor);
    ranges.set(name, [...(ranges.get(name) ?? []), { ...numbers, line }]);
  }
  return ranges;
}

function toValue({ name, dtype, shape }: Tensor): OnnxValue {
  return { name, dtype, shape };
}

function checkUpdates(updates: readonly Update[]): void {
  const seen = new Set<Tensor>();
  for (const { variable, next } of updates) {
    const isVariable = !variable.node && variable.graph.sourceOf(variable).kind === 'variable';
    if (!isVariable || seen.has(variable) || !sameShape(variable.shape, next.shape)) {
      throw shapeError('update', [variable, next], 'expected a variable, updated once, and a next value of its shape');
    }
    seen.add(variable);
  }
}

function checkNames(tensors: readonly Tensor[], outputs: readonly string[], inputs: readonly OnnxValue[]): void {
  const foreign = tensors.find(({ graph }) => graph !== tensors[0]!.graph);
  if (foreign) {
    throw new RedefError(`The outputs and updates are of several graphs: ${describe(foreign)} is of another`, {
      code: 'foreign-tensor',
      remedy: 'Make a session for each graph; they can share their variables.',
    });
  }
  const inputNames = new Set(inputs.map(({ name }) => name));
  const taken = outputs.find((name) => inputNames.has(name) || name.includes(':') || name === '');
  if (taken !== undefined) {
    throw new RedefError(`The output name '${taken}' is empty, has a colon, or is the name of an input`, {
      code: 'invalid-name',
      remedy: 'Give each output a name of its own.',
    });
  }
}
