import { crossEntropy, Graph, type Tensor } from '@redef/autodiff';
import type { BatchShape, Task } from '@redef/training';
import { type RepairModel, repairLogits } from './repair-model.js';
import type { SequencePair } from './sequence-pair.js';

export interface Seq2SeqTaskOptions {
  /**
   * Let padding count in the loss, each target padded to the longest length, as VulRepair's training did (R+R left it so).
   * Default false.
   */
  paddingInLoss?: boolean;
  /** Sources and targets are padded to multiples of these. Default 32 and 16. */
  lengthSteps?: readonly [source: number, target: number];
}

export interface Seq2SeqTask extends Task<SequencePair> {
  /** Writes the network without dropout, and its loss. */
  buildEvaluation(shape: BatchShape): { loss: Tensor };
}

/** A label that does not count. */
const ignored = -100;

/** Teaches a model to write each pair's target: mean cross-entropy of its tokens. */
export function seq2seqTask(
  model: RepairModel,
  { paddingInLoss = false, lengthSteps: [sourceStep, targetStep] = [32, 16] }: Seq2SeqTaskOptions = {},
): Seq2SeqTask {
  const { config, settings } = model;
  const padding = config.pad_token_id;
  // T5 is fed its start token and then the target moved right; RoBERTa the target itself, whose first token starts it.
  const isMoved = config.model_type === 't5';
  const fedLength = (targetLength: number) => (isMoved ? targetLength : Math.max(1, targetLength - 1));
  const labelsOf = ({ targetIds }: SequencePair) => (isMoved ? targetIds : targetIds.subarray(1));

  const build = ({ rows, lengths }: BatchShape, training: boolean) => {
    const graph = new Graph();
    const [sourceLength, targetLength] = lengths as [number, number];
    const logits = repairLogits(
      model,
      graph.input('sourceIds', [rows, sourceLength], 'int32'),
      graph.input('decoderIds', [rows, targetLength], 'int32'),
      { training },
    );
    const labels = graph.input('labels', [rows * targetLength], 'int32');
    return { loss: crossEntropy(logits, labels, { ignoreLabel: ignored }), parameters: graph.parameters };
  };

  return {
    idOf: ({ id }) => id,
    lengths: ({ sourceIds, targetIds }) => [sourceIds.length, fedLength(targetIds.length)],
    pad: ([source, target]) => [
      roundUp(source!, sourceStep, settings.max_source_tokens),
      paddingInLoss
        ? fedLength(settings.max_target_tokens)
        : roundUp(target!, targetStep, fedLength(settings.max_target_tokens)),
    ],
    weight: (pair) => (paddingInLoss ? fedLength(settings.max_target_tokens) : labelsOf(pair).length),
    build: (shape) => build(shape, true),
    buildEvaluation: (shape) => ({ loss: build(shape, false).loss }),
    feeds(items, { rows, lengths }) {
      const [sourceLength, targetLength] = lengths as [number, number];
      const sourceIds = new Int32Array(rows * sourceLength).fill(padding);
      const decoderIds = new Int32Array(rows * targetLength).fill(padding);
      const labels = new Int32Array(rows * targetLength).fill(ignored);
      for (const [row, item] of items.entries()) {
        const expected = labelsOf(item);
        const at = row * targetLength;
        sourceIds.set(item.sourceIds, row * sourceLength);
        decoderIds.set(isMoved ? expected.subarray(0, -1) : item.targetIds.subarray(0, -1), isMoved ? at + 1 : at);
        if (isMoved) decoderIds[at] = settings.start_token;
        if (paddingInLoss) labels.fill(padding, at, at + targetLength);
        labels.set(expected, at);
      }
      return { sourceIds, decoderIds, labels };
    },
  };
}

function roundUp(length: number, step: number, most: number): number {
  return Math.min(Math.ceil(length / step) * step, most);
}
