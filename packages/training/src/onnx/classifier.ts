import { crossEntropy, Graph, type Tensor } from '@redef/autodiff';
import { type ModelConfig, maxInputTokens, robertaClassifier, t5Classifier } from '@redef/models';
import type { Example } from '../engine.js';
import type { BatchShape, Task } from '../fit/task.js';
import { type Lora, withLora } from './lora.js';

/** A classifier of two classes, as a rule for writing its graph. */
export interface Classifier {
  config: ModelConfig;
  lora?: Lora;
}

type Input = Pick<Example, 'id' | 'inputIds'>;

/** The graph of a batch from its token ids to its logits (rows, 2). */
export function buildClassifier(
  { config, lora }: Classifier,
  { rows, lengths: [length] }: BatchShape,
  { training }: { training: boolean },
): { graph: Graph; logits: Tensor; parameters: readonly Tensor[] } {
  const graph = new Graph();
  const adapter = lora && withLora(graph, lora);
  const ids = graph.input('ids', [rows, length!], 'int32');
  const logits =
    config.model_type === 't5' ? t5Classifier(ids, config, { training }) : robertaClassifier(ids, config, { training });
  return { graph, logits, parameters: adapter ? adapter.trained() : graph.parameters };
}

/** Fine-tuning of a classifier; the positive class weighs `positiveWeight`, the negative 1. */
export function classifierTask(classifier: Classifier, positiveWeight: number): Task<Example> {
  return {
    idOf: ({ id }) => id,
    lengths: ({ inputIds }) => [inputIds.length],
    pad: (longest) => padLength(longest, classifier.config),
    weight: ({ label }) => (label === 1 ? positiveWeight : 1),
    build: (shape) => {
      const { graph, logits, parameters } = buildClassifier(classifier, shape, { training: true });
      const labels = graph.input('labels', [shape.rows], 'int32');
      return { loss: crossEntropy(logits, labels, { classWeights: graph.constant([1, positiveWeight]) }), parameters };
    },
    feeds: (examples, shape) => ({
      ids: padIds(examples, shape, classifier.config),
      labels: Int32Array.from({ length: shape.rows }, (_, row) => examples[row]?.label ?? notCounted),
    }),
  };
}

/** `crossEntropy` leaves such rows out. */
const notCounted = -100;

/** Up to 64 the next power of two, beyond the next multiple of 64: few shapes, little padding. */
export function padLength([longest]: readonly number[], config: ModelConfig): [number] {
  const rounded = longest! > 64 ? Math.ceil(longest! / 64) * 64 : 2 ** Math.ceil(Math.log2(longest!));
  return [Math.min(Math.max(rounded, 8), maxInputTokens(config))];
}

/** Token ids, row by row, behind each its padding. Rows without an input repeat the first: a row of padding alone has no mean. */
export function padIds(
  inputs: readonly Input[],
  { rows, lengths: [length] }: BatchShape,
  { pad_token_id }: ModelConfig,
): Int32Array {
  const ids = new Int32Array(rows * length!).fill(pad_token_id);
  for (let row = 0; row < rows; row++) ids.set((inputs[row] ?? inputs[0]!).inputIds, row * length!);
  return ids;
}
