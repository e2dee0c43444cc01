import { add, type Graph, linear, multiply, type Tensor, uniform, zeros } from '@redef/autodiff';
import { RedefError } from '@redef/core';
import { adaptLayers, type ModelConfig } from '@redef/models';

/** Low-rank adaptation (Hu et al., 2022): layers compute Wx + (alpha / rank) BAx, and only A and B are trained. */
export interface Lora {
  rank: number;
  alpha: number;
  /** Layers, by the last part of their names. Default: query and value of attention. */
  targets: readonly string[];
  /** What is trained in full, by a part of the names. Default: the head, which starts from random values. */
  modulesToSave: readonly string[];
}

export function completeLora(lora: Pick<Lora, 'rank' | 'alpha'> & Partial<Lora>, { model_type }: ModelConfig): Lora {
  return { targets: model_type === 't5' ? ['q', 'v'] : ['query', 'value'], modulesToSave: ['classifier'], ...lora };
}

/**
 * Adapts the layers of a model that is then written onto the graph. A starts random, B at 0, so that the model at first
 * computes what it did.
 *
 * @throws `RedefError` `invalid-option` where a target names a layer that is trained in full
 * @returns `trained`: the parameters that are trained, once the model is written
 */
export function withLora(graph: Graph, lora: Lora): { trained(): Tensor[] } {
  const { rank, alpha, targets } = lora;
  adaptLayers(graph, (output, x, name) => {
    const target = targets.find((target) => name.endsWith(`.${target}`));
    if (target === undefined) return output;
    if (isSaved(name, lora)) {
      throw new RedefError(`The LoRA target ${target} also names ${name}, which is trained in full`, {
        code: 'invalid-option',
        remedy: 'Name targets by more of their names: attention.output.dense, intermediate.dense.',
      });
    }
    const [inputs, outputs] = [x.shape[1]!, output.shape[1]!];
    const down = graph.parameter(`${name}.lora_A.weight`, [rank, inputs], uniform(1 / Math.sqrt(inputs)));
    const up = graph.parameter(`${name}.lora_B.weight`, [outputs, rank], zeros);
    return add(output, multiply(linear(linear(x, down), up), alpha / rank));
  });
  return { trained: () => graph.parameters.filter(({ name }) => isLoraWeight(name) || isSaved(name, lora)) };
}

/**
 * What names no layer would leave the model as it is, without a word.
 *
 * @param graph with the model and its additions
 * @throws `RedefError` `invalid-option`
 */
export function checkNames(lora: Lora, { parameters }: Graph): void {
  const isNamed = {
    targets: (target: string) => parameters.some(({ name }) => name.endsWith(`.${target}.lora_A.weight`)),
    modulesToSave: (module: string) => parameters.some(({ name }) => isSaved(name, { modulesToSave: [module] })),
  };
  for (const option of ['targets', 'modulesToSave'] as const) {
    const unknown = lora[option].find((name) => !isNamed[option](name));
    if (unknown === undefined && (option === 'modulesToSave' || lora.targets.length > 0)) continue;
    const layers = parameters.flatMap(({ name }) => /^(?!.*\.lora_)(.*)\.weight$/.exec(name)?.[1] ?? []);
    throw new RedefError(
      unknown === undefined ? 'lora.targets names no layer' : `lora.${option}: the model has no layer '${unknown}'`,
      { code: 'invalid-option', remedy: `Name layers by the last parts of their names: ${layers.join(', ')}.` },
    );
  }
}

export function isLoraWeight(name: string): boolean {
  return /\.lora_[AB]\.weight$/.test(name);
}

/** True for the weights that are trained in full and saved beside A and B. */
export function isSaved(name: string, { modulesToSave }: Pick<Lora, 'modulesToSave'>): boolean {
  return modulesToSave.some((module) => name.split('.').includes(module));
}
