import { RedefError } from '@redef/core';
import { shapeError } from './errors.js';
import { collectAncestors } from './gradients.js';
import type { Source } from './graph.js';
import { encodeModel, type OnnxValue } from './onnx/model.js';
import { sameShape } from './shape.js';
import type { GraphNode, Tensor, Update } from './tensor.js';

/** A graph cut down to what its outputs need, as an ONNX model. */
export interface CompiledGraph {
  /** The `.onnx` file: kilobytes, since weights are inputs. */
  model: Uint8Array;
  /** Its inputs: data, variables and noise. */
  inputs: readonly (OnnxValue & { source: Source })[];
  /** Its outputs: those asked for, then the next values of the variables. */
  outputs: readonly OnnxValue[];
  /** Name of the output that holds the next value, by variable. */
  updates: ReadonlyMap<string, string>;
  /** `file:line` that asked for each node, by the node's name. */
  lines: ReadonlyMap<string, string>;
}

/** Name of the output that carries a variable's next value. */
const nextName = (variable: Tensor) => `next:${variable.name}`;

/** Keeps what the outputs and updates need, in the order of writing, and encodes it. */
export function compile(outputs: Readonly<Record<string, Tensor>>, updates: readonly Update[] = []): CompiledGraph {
  for (const { variable, next } of updates) {
    if (
      variable.node ||
      variable.graph.sourceOf(variable).kind !== 'variable' ||
      !sameShape(variable.shape, next.shape)
    ) {
      throw shapeError('update', [variable, next], 'expected a variable and a next value of its shape');
    }
  }
  const wanted = [
    ...Object.entries(outputs),
    ...updates.map(({ variable, next }): [string, Tensor] => [nextName(variable), next]),
  ];
  const inputs: CompiledGraph['inputs'][number][] = [];
  const constants: Parameters<typeof encodeModel>[0]['constants'][number][] = [];
  const nodes = new Set<GraphNode>();
  for (const tensor of collectAncestors(...wanted.map(([, tensor]) => tensor))) {
    const { graph, node, name, dtype, shape } = tensor;
    if (node) {
      nodes.add(node);
      continue;
    }
    const source = graph.sourceOf(tensor);
    if (source.kind === 'constant') constants.push({ name, dtype, shape, data: source.data });
    else inputs.push({ name, dtype, shape, source });
  }

  const taken =
    inputs.find(({ name }) => name in outputs)?.name ?? Object.keys(outputs).find((name) => name.includes(':'));
  if (taken !== undefined) {
    throw new RedefError(`The output name '${taken}' has a colon or is the name of an input`, {
      code: 'invalid-name',
      remedy: 'Give each output a name of its own.',
    });
  }

  // A node computes an output under the output's own name: an Identity node in between would copy it.
  const renamed = new Map<string, string>();
  const copies = wanted.flatMap(([name, tensor]) => {
    if (tensor.node && !renamed.has(tensor.name)) {
      renamed.set(tensor.name, name);
      return [];
    }
    return [{ name, of: tensor.name }];
  });
  const rename = (name: string) => renamed.get(name) ?? name;
  const onnxNodes = [...nodes].map(({ type, domain, attributes, inputs, outputs }) => ({
    name: outputs[0]!,
    type,
    domain,
    attributes,
    inputs: inputs.map(({ name }) => rename(name)),
    outputs: outputs.map(rename),
  }));
  for (const { name, of } of copies) {
    onnxNodes.push({ name, type: 'Identity', domain: '', attributes: {}, inputs: [rename(of)], outputs: [name] });
  }

  const outputValues = wanted.map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  return {
    model: encodeModel({ nodes: onnxNodes, inputs, outputs: outputValues, constants }),
    inputs,
    outputs: outputValues,
    updates: new Map(updates.map(({ variable }) => [variable.name, nextName(variable)])),
    lines: new Map([...nodes].map(({ outputs, line }) => [outputs[0]!, line])),
  };
}
