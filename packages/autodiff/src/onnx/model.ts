import type { DType, TypedArray } from '../dtype.js';
import type { Shape } from '../shape.js';
import { ProtobufWriter } from './protobuf.js';

// The part of ONNX that a graph of ours needs. Field and enum numbers: onnx/onnx.proto, IR version 9.

/** An attribute: integers are written as ONNX ints; a float is wrapped, since JavaScript does not tell 1 from 1.0. */
export type Attribute = number | readonly number[] | string | { readonly float: number } | OnnxGraph;

export interface OnnxNode {
  name: string;
  type: string;
  /** `''` for the standard ops, `com.microsoft` for ONNX Runtime's own. */
  domain: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes: Readonly<Record<string, Attribute>>;
}

export interface OnnxValue {
  name: string;
  dtype: DType;
  shape: Shape;
  /** Axes whose size the model leaves open: it is then another at each run. */
  freeAxes?: readonly number[];
}

export interface OnnxGraph {
  nodes: readonly OnnxNode[];
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
  constants: readonly (OnnxValue & { data: TypedArray })[];
}

/** ONNX's numbers for element types. */
export const elementTypes: Record<DType, number> = {
  float32: 1,
  uint16: 4,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
};
const attributeTypes = { float: 1, int: 2, string: 3, graph: 5, ints: 7 };
const irVersion = 9;
const opset = 20;

/** A `ModelProto`: the bytes of an `.onnx` file. */
export function encodeModel(graph: OnnxGraph): Uint8Array {
  const operatorSet = (domain: string, version: number) => (message: ProtobufWriter) =>
    message.string(1, domain).integer(2, version);
  return new ProtobufWriter()
    .integer(1, irVersion)
    .string(2, '@redef/autodiff')
    .message(7, (message) => writeGraph(message, graph))
    .message(8, operatorSet('', opset))
    .message(8, operatorSet('com.microsoft', 1))
    .finish();
}

function writeGraph(message: ProtobufWriter, { nodes, inputs, outputs, constants }: OnnxGraph): void {
  for (const node of nodes) message.message(1, (inner) => writeNode(inner, node));
  message.string(2, 'graph');
  for (const constant of constants) message.message(5, (inner) => writeConstant(inner, constant));
  for (const input of inputs) message.message(11, (inner) => writeValue(inner, input));
  for (const output of outputs) message.message(12, (inner) => writeValue(inner, output));
}

function writeNode(message: ProtobufWriter, node: OnnxNode): void {
  for (const input of node.inputs) message.string(1, input);
  for (const output of node.outputs) message.string(2, output);
  message.string(3, node.name).string(4, node.type);
  for (const [name, attribute] of Object.entries(node.attributes)) {
    message.message(5, (inner) => writeAttribute(inner.string(1, name), attribute));
  }
  message.string(7, node.domain);
}

function writeAttribute(message: ProtobufWriter, attribute: Attribute): void {
  if (typeof attribute === 'number') {
    message.integer(3, attribute).integer(20, attributeTypes.int);
  } else if (typeof attribute === 'string') {
    message.string(4, attribute).integer(20, attributeTypes.string);
  } else if ('float' in attribute) {
    message.float(2, attribute.float).integer(20, attributeTypes.float);
  } else if ('nodes' in attribute) {
    message.message(6, (inner) => writeGraph(inner, attribute)).integer(20, attributeTypes.graph);
  } else {
    for (const item of attribute) message.integer(8, item);
    message.integer(20, attributeTypes.ints);
  }
}

function writeConstant(message: ProtobufWriter, { name, dtype, shape, data }: OnnxGraph['constants'][number]): void {
  for (const size of shape) message.integer(1, size);
  message.integer(2, elementTypes[dtype]).string(8, name);
  message.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

function writeValue(message: ProtobufWriter, { name, dtype, shape, freeAxes = [] }: OnnxValue): void {
  message.string(1, name).message(2, (type) =>
    type.message(1, (tensor) =>
      tensor.integer(1, elementTypes[dtype]).message(2, (dimensions) => {
        for (const [axis, size] of shape.entries()) {
          dimensions.message(1, (dimension) => (freeAxes.includes(axis) ? dimension : dimension.integer(1, size)));
        }
      }),
    ),
  );
}
