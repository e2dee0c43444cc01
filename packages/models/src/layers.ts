import { dropout, type Graph, type Initializer, linear, ones, type Tensor, zeros } from '@redef/autodiff';

// What the models share. Activations are matrices of one row a token, (batch × length, features).

/** How a model is built. */
export interface BuildOptions {
  /** With dropout, at the rates of the config. Default: without, for evaluation. */
  training?: boolean;
}

/** Changes what an affine layer computes, given its output, its input and its name: `...attention.self.query`. */
export type LayerAdapter = (output: Tensor, x: Tensor, name: string) => Tensor;

const adapters = new WeakMap<Graph, LayerAdapter>();

/** Adapts the affine layers of the models that are written onto a graph from now on: the way in for low-rank adaptation. */
export function adaptLayers(graph: Graph, adapter: LayerAdapter): void {
  adapters.set(graph, adapter);
}

/** An affine layer, adapted where its graph asks for it. */
export function affine(x: Tensor, name: string, weight: Tensor, bias?: Tensor): Tensor {
  const output = linear(x, weight, bias);
  return adapters.get(x.graph)?.(output, x, name) ?? output;
}

/** An affine layer with its weight (outputs, inputs) and bias named as PyTorch names them. */
export function dense(x: Tensor, name: string, outputs: number, initialize: Initializer, bias = true): Tensor {
  const weight = x.graph.parameter(`${name}.weight`, [outputs, x.shape[1]!], initialize);
  return affine(x, name, weight, bias ? x.graph.parameter(`${name}.bias`, [outputs], zeros) : undefined);
}

/** Weight and bias of a layer normalization. */
export function normParameters(x: Tensor, name: string): [weight: Tensor, bias: Tensor] {
  const features = x.shape.slice(-1);
  return [x.graph.parameter(`${name}.weight`, features, ones), x.graph.parameter(`${name}.bias`, features, zeros)];
}

/** The rate of dropout in training, 0 in evaluation. */
export function rateIn({ training = false }: BuildOptions, rate: number): number {
  return training ? rate : 0;
}

/** Dropout at `rate` in training, nothing in evaluation. */
export function dropoutIn(options: BuildOptions, x: Tensor, rate: number): Tensor {
  return dropout(x, rateIn(options, rate));
}
