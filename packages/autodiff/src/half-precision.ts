import { collectAncestors } from './gradients.js';
import { elementTypes } from './onnx/model.js';
import type { GraphNode, Tensor } from './tensor.js';

/** In which precision a device computes; weights, the state of optimizers and all results are `float32` in either. */
export type Precision = 'float32' | 'float16';

/** Products, which is where half precision pays: their operands are rounded to it. */
const halved = new Set(['Gemm', 'FusedMatMul']);

/** What keeps the precision of its operands: half where all have it. Numbers and masks go along with the others. */
const following = new Set([
  ...['Add', 'Sub', 'Mul', 'Neg', 'Where', 'Relu', 'Gelu'],
  ...['Reshape', 'Squeeze', 'Transpose', 'Slice', 'Concat', 'Pad', 'Expand'],
]);

/**
 * Rewrites a computation to mixed precision: products and what follows them in half, all else (softmax, sums, norms, losses,
 * optimizers) in single, with the division of labour of PyTorch's autocast. Gradients are then worth scaling the loss for.
 *
 * @returns the rewritten tensor of each of `outputs`, in single precision
 */
export function toHalfPrecision(outputs: readonly Tensor[]): Tensor[] {
  const rewritten = new Map<Tensor, Tensor>();
  const nodes = new Map<GraphNode, GraphNode>(); // an op of several nodes may give its last one's tensor anew
  const casts = new Map<string, Tensor>();

  const to = (dtype: Precision, x: Tensor): Tensor => {
    if (x.dtype === dtype || (x.dtype !== 'float32' && x.dtype !== 'float16')) return x;
    const known = casts.get(x.name) ?? cast(x, dtype);
    casts.set(x.name, known);
    return known;
  };
  for (const tensor of collectAncestors(...outputs)) {
    const { node } = tensor;
    if (!node) {
      rewritten.set(tensor, tensor);
      continue;
    }
    const inputs = node.inputs.map((input) => rewritten.get(input)!);
    const precision = tensor.dtype === 'float32' && isHalf(node, inputs) ? 'float16' : 'float32';
    const next = nodes.get(node) ?? { ...node, inputs: inputs.map((input) => to(precision, input)) };
    nodes.set(node, next);
    rewritten.set(tensor, { ...tensor, node: next, dtype: tensor.dtype === 'float32' ? precision : tensor.dtype });
  }
  return outputs.map((tensor) => to('float32', rewritten.get(tensor)!));
}

function isHalf({ type }: GraphNode, inputs: readonly Tensor[]): boolean {
  if (halved.has(type)) return true;
  const deciding = inputs.filter(
    (input) => (input.dtype === 'float32' || input.dtype === 'float16') && !isNeutral(input),
  );
  return following.has(type) && deciding.length > 0 && deciding.every(({ dtype }) => dtype === 'float16');
}

/** A fixed number, or a mask of 0 and 1. */
function isNeutral(x: Tensor): boolean {
  if (x.node) return x.node.type === 'Cast' && x.node.inputs[0]!.dtype === 'bool';
  return x.graph.sourceOf(x).kind === 'constant';
}

function cast(x: Tensor, dtype: Precision): Tensor {
  const name = `${x.name}:${dtype}`;
  const node: GraphNode = {
    type: 'Cast',
    domain: '',
    attributes: { to: elementTypes[dtype] },
    inputs: [x],
    output: name,
    order: (x.node?.order ?? -1) + 0.5, // after what it casts, before what uses it
    line: x.node?.line ?? '',
  };
  return { ...x, name, dtype, node };
}
