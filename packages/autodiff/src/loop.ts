import type { CompiledGraph } from './compile.js';
import { encodeModel, type OnnxGraph, type OnnxNode, type OnnxValue } from './onnx/model.js';

/** The scalar input (int64) that says how many steps a run of {@link loopSteps} makes. */
export const stepCount = 'steps:count';

/**
 * Puts any number of steps into one run, as an ONNX `Loop` around the graph: variables that a step updates are carried
 * to the next where the runtime keeps them. What is fed gets a leading axis, one slice a step; so do the outputs.
 */
export function loopSteps(step: CompiledGraph): CompiledGraph {
  const carried = step.inputs.filter(({ name }) => step.updates.has(name));
  const fed = step.inputs.filter(({ source }) => source.kind !== 'variable');
  const next = carried.map((value) => ({ ...value, name: step.updates.get(value.name)! }));
  const results = step.outputs.slice(0, step.outputs.length - next.length);

  // The body sees constants, and variables that stay as they are, under the names they have outside.
  const outside = new Set([...step.graph.constants, ...step.inputs].map(({ name }) => name));
  for (const { name } of [...carried, ...fed]) outside.delete(name);
  const inside = (name: string) => (outside.has(name) ? name : `step/${name}`);
  const renamed = (value: OnnxValue) => ({ ...value, name: inside(value.name) });

  const iteration: OnnxValue = { name: 'iteration', dtype: 'int64', shape: [] };
  const goOn: OnnxValue = { name: 'go on', dtype: 'bool', shape: [] };
  const goOnNext: OnnxValue = { ...goOn, name: 'go on:next' };
  const body: OnnxGraph = {
    inputs: [iteration, goOn, ...carried.map(renamed)],
    nodes: [
      node('Identity', [goOn.name], [goOnNext.name]),
      ...fed.map(({ name }) => node('Gather', [name, iteration.name], [inside(name)], { axis: 0 })),
      ...step.graph.nodes.map((inner) => ({
        ...inner,
        inputs: inner.inputs.map(inside),
        outputs: inner.outputs.map(inside),
      })),
    ],
    outputs: [goOnNext, ...next.map(renamed), ...results.map(renamed)],
    constants: [],
  };

  const stacked = <Value extends OnnxValue>(value: Value): Value => ({
    ...value,
    shape: [1, ...value.shape],
    freeAxes: [0],
  });
  const inputs: CompiledGraph['inputs'] = [
    { name: stepCount, dtype: 'int64', shape: [], source: { kind: 'input' } },
    ...step.inputs.map((value) => (value.source.kind === 'variable' ? value : stacked(value))),
  ];
  const outputs = [...results.map(stacked), ...next];
  const graph: OnnxGraph = {
    inputs,
    nodes: [
      node(
        'Loop',
        [stepCount, '', ...carried.map(({ name }) => name)],
        [...next, ...results].map(({ name }) => name),
        { body },
      ),
    ],
    outputs,
    constants: step.graph.constants,
  };
  return { ...step, model: encodeModel(graph), graph, inputs, outputs, overwritable: new Set() };
}

function node(type: string, inputs: string[], outputs: string[], attributes: OnnxNode['attributes'] = {}): OnnxNode {
  return { name: outputs[0]!, type, domain: '', inputs, outputs, attributes };
}
