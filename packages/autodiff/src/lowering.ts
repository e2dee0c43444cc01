import { toTypedArray } from './dtype.js';
import { valueError } from './errors.js';
import { type Attribute, elementTypes, type OnnxGraph, type OnnxNode } from './onnx/model.js';
import type { GraphNode, Tensor } from './tensor.js';

/** How the ops that a provider lacks, or is slow at, are written for it: a rule for each type of node. */
export type Lowering = Readonly<Record<string, (node: GraphNode, write: NodeWriter) => void>>;

/** Collects the nodes that take the place of one. The last must compute the output of the node replaced. */
export class NodeWriter {
  readonly nodes: OnnxNode[] = [];
  readonly constants: OnnxGraph['constants'][number][] = [];

  constructor(private readonly prefix: string) {}

  /** @returns the name of what the node computes */
  node(type: string, inputs: string[], attributes: OnnxNode['attributes'] = {}, output = this.#fresh()): string {
    this.nodes.push({ name: output, type, domain: '', attributes, inputs, outputs: [output] });
    return output;
  }

  /** @returns the names of `count` parts of equal size, along the first axis */
  split(input: string, count: number): string[] {
    const outputs = Array.from({ length: count }, (_, part) => `${this.#fresh()}:${part}`);
    const name = outputs[0]!;
    this.nodes.push({ name, type: 'Split', domain: '', attributes: { num_outputs: count }, inputs: [input], outputs });
    return outputs;
  }

  /** A scalar, or the list of axes that some ops take. */
  constant(dtype: Tensor['dtype'], values: number | readonly number[]): string {
    const name = this.#fresh();
    const list = typeof values === 'number' ? [values] : values;
    const data = toTypedArray(dtype, list, (problem) => valueError(`lowering of ${this.prefix}`, problem));
    this.constants.push({ name, dtype, shape: typeof values === 'number' ? [] : [values.length], data });
    return name;
  }

  /** A number of any type of float. */
  scalar(dtype: Tensor['dtype'], value: number): string {
    if (dtype !== 'float16') return this.constant(dtype, value);
    return this.node('Cast', [this.constant('float32', value)], { to: elementTypes.float16 });
  }

  #fresh(): string {
    return `${this.prefix}:part${this.nodes.length}:${this.constants.length}`;
  }
}

export interface LoweredNodes {
  nodes: OnnxNode[];
  constants: OnnxGraph['constants'][number][];
  /** `file:line` that asked for each node, by the node's name. */
  lines: Map<string, string>;
}

/** Rewrites the nodes that there is a rule for. */
export function lower(nodes: readonly GraphNode[], lowering: Lowering): LoweredNodes {
  const lowered: LoweredNodes = { nodes: [], constants: [], lines: new Map() };
  for (const node of nodes) {
    const writer = new NodeWriter(node.output);
    const rule = lowering[node.type];
    if (rule) rule(node, writer);
    else writer.nodes.push(toOnnxNode(node));
    lowered.nodes.push(...writer.nodes);
    lowered.constants.push(...writer.constants);
    for (const { name } of writer.nodes) lowered.lines.set(name, node.line);
  }
  return lowered;
}

function toOnnxNode({ type, domain, attributes, inputs, output }: GraphNode): OnnxNode {
  return { name: output, type, domain, attributes, inputs: inputs.map(({ name }) => name), outputs: [output] };
}

/** Rows of a matrix product whose part of the result stays in the second-level cache of common processors. */
const blockRows = 512;

/**
 * For the CPU: ONNX Runtime goes over all rows of a product for each block of the inner axis, which is slow for many, and
 * slower still where the first operand is transposed.
 */
export const cpuLowering: Lowering = {
  Gemm: ({ inputs, output, attributes }, write) => {
    const [a, ...others] = inputs.map(({ name }) => name) as [string, ...string[]];
    const { transA, ...untransposed } = attributes;
    const rows = inputs[0]!.shape[transA === 1 ? 1 : 0]!;
    let count = Math.ceil(rows / blockRows);
    while (rows % count !== 0) count++;
    if (count === 1 || rows / count < blockRows / 4) {
      write.node('Gemm', [a, ...others], attributes, output);
      return;
    }
    const whole = transA === 1 ? write.node('Transpose', [a], { perm: [1, 0] }) : a;
    const blocks = write.split(whole, count).map((block) => write.node('Gemm', [block, ...others], untransposed));
    write.node('Concat', blocks, { axis: 0 }, output);
  },
};

/**
 * For WebGPU: ONNX Runtime would hand its own matrix product and the logarithm of the softmax back to the CPU, and with
 * them the numbers.
 */
export const webgpuLowering: Lowering = {
  FusedMatMul: ({ inputs, output, attributes }, write) => {
    const [a, b] = inputs as [Tensor, Tensor];
    const operand = ({ name, shape }: Tensor, transposed: Attribute | undefined) =>
      transposed === 1 ? write.node('Transpose', [name], { perm: lastTwoSwapped(shape.length) }) : name;
    const operands = [operand(a, attributes.transA), operand(b, attributes.transB)];
    const { float: scale } = attributes.alpha as { float: number };
    if (scale === 1) write.node('MatMul', operands, {}, output);
    else write.node('Mul', [write.node('MatMul', operands), write.scalar(a.dtype, scale)], {}, output);
  },

  // x - max - log Σ exp(x - max)
  LogSoftmax: ({ inputs, output }, write) => {
    const [x] = inputs as [Tensor];
    const axes = write.constant('int64', [x.shape.length - 1]);
    const shifted = write.node('Sub', [x.name, write.node('ReduceMax', [x.name, axes])]);
    const sum = write.node('ReduceSum', [write.node('Exp', [shifted]), axes]);
    write.node('Sub', [shifted, write.node('Log', [sum])], {}, output);
  },
};

function lastTwoSwapped(rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return [...axes.slice(0, -2), rank - 1, rank - 2];
}
