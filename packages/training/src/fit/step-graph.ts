import {
  add,
  clipByGlobalNorm,
  Graph,
  gradients,
  multiply,
  type Optimizer,
  type SessionOptions,
  type Tensor,
  type Update,
} from '@redef/autodiff';
import { createLossScale, onlyWhere } from './loss-scale.js';
import type { Task } from './task.js';

/** What is done with gradients. */
export interface StepRules {
  optimizer: Optimizer;
  /** Most that their joint norm may be. */
  clipNorm: number;
  /** For half precision. */
  scalesLoss: boolean;
}

export type StepGraph = Pick<SessionOptions<string>, 'outputs'> & { updates: Update[] };

type Network = ReturnType<Task<unknown>['build']>;

/** What a part of a step is fed besides the data. */
export const partInputs = {
  /** Weight of its items in the step: 1 for all of them. */
  share: 'fit.share',
  /** 0 for the first part, else 1: the sums go on. */
  keep: 'fit.keep',
  /** 1 for the last part, where that updates. */
  isLast: 'fit.is-last',
} as const;

/** Forward, backward, clipping and update of a step of one batch. */
export function wholeStep({ loss, parameters }: Network, rules: StepRules): StepGraph {
  const scale = rules.scalesLoss ? createLossScale(loss.graph) : undefined;
  const derivatives = (scale?.gradients ?? gradients)(loss, parameters);
  const { updates, norm } = update(parameters, derivatives, rules, scale);
  return { outputs: { loss, norm }, updates };
}

/** Forward and backward of one batch of several; the gradients are added to sums, from which {@link updateOfSums} updates. */
export function partOfStep(network: Network, { scalesLoss }: StepRules): StepGraph {
  const { loss, sums } = sumGradients(network, scalesLoss ? createLossScale(network.loss.graph) : undefined);
  return { outputs: { loss }, updates: sums };
}

/** The same where the last part updates as well: all parts are then one graph, for steps looped inside it. */
export function partWithUpdate(network: Network, rules: StepRules): StepGraph {
  const { graph } = network.loss;
  const scale = rules.scalesLoss ? createLossScale(graph) : undefined;
  const { loss, sums } = sumGradients(network, scale);
  const isLast = graph.input(partInputs.isLast, [], 'bool');
  const summed = sums.map(({ next }) => next);
  const { updates, norm } = update(network.parameters, summed, rules, scale);
  return { outputs: { loss, norm }, updates: [...sums, ...updates.map((one) => onlyWhere(isLast, one))] };
}

/** Clipping and update from the sums that {@link partOfStep} left. */
export function updateOfSums(parameters: readonly Tensor[], rules: StepRules): StepGraph {
  const graph = new Graph({ float: parameters[0]!.graph.float });
  const same = parameters.map((parameter) => {
    const source = parameter.graph.sourceOf(parameter);
    return graph.parameter(parameter.name, parameter.shape, source.kind === 'variable' ? source.initialize : undefined);
  });
  const sums = same.map((parameter) => sumOf(graph, parameter));
  const { updates, norm } = update(same, sums, rules, rules.scalesLoss ? createLossScale(graph) : undefined);
  return { outputs: { norm }, updates };
}

type LossScale = ReturnType<typeof createLossScale>;

function update(
  parameters: readonly Tensor[],
  derivatives: readonly Tensor[],
  { optimizer, clipNorm }: StepRules,
  scale: LossScale | undefined,
): { updates: Update[]; norm: Tensor } {
  const { gradients: clipped, norm } = clipByGlobalNorm(derivatives, clipNorm);
  const updates = optimizer.update(parameters, clipped);
  return { updates: scale ? scale.guard(updates, norm) : updates, norm };
}

function sumGradients(
  { loss: mean, parameters }: Network,
  scale: LossScale | undefined,
): { loss: Tensor; sums: Update[] } {
  const { graph } = mean;
  const loss = multiply(mean, graph.input(partInputs.share, []));
  const keep = graph.input(partInputs.keep, []);
  const sums = (scale?.gradients ?? gradients)(loss, parameters).map((gradient, index) => {
    const sum = sumOf(graph, parameters[index]!);
    return { variable: sum, next: add(multiply(sum, keep), gradient) };
  });
  return { loss, sums };
}

function sumOf(graph: Graph, { name, shape }: Tensor): Tensor {
  return graph.state(`sum/${name}`, shape);
}
