import { Session } from '@redef/autodiff';
import { throwIfAborted } from '@redef/core';
import type { BatchShape, Validation } from '@redef/training';
import type { Seq2SeqTask } from './seq2seq-task.js';
import type { SequencePair } from './sequence-pair.js';

/**
 * The mean loss of the tokens of a validation set, without dropout: what chooses the epoch in both papers' repair
 * models. Pairs are sorted by length, so that batches pad little.
 */
export function validationLoss(
  task: Seq2SeqTask,
  pairs: readonly SequencePair[],
  { batchSize }: { batchSize: number },
): Validation {
  const sizeOf = (pair: SequencePair) => task.lengths(pair);
  const sorted = [...pairs].sort((a, b) => sizeOf(a)[0]! - sizeOf(b)[0]! || sizeOf(a)[1]! - sizeOf(b)[1]!);
  const batches = Array.from({ length: Math.ceil(sorted.length / batchSize) }, (_, index) =>
    sorted.slice(index * batchSize, (index + 1) * batchSize),
  );
  return {
    metric: 'loss',
    higherIsBetter: false,
    async measure(variables, { signal }) {
      const sessions = new Map<string, Session<'loss'>>();
      let sum = 0;
      let weights = 0;
      try {
        for (const batch of batches) {
          throwIfAborted(signal);
          const longest = [0, 1].map((axis) => Math.max(...batch.map((pair) => sizeOf(pair)[axis]!)));
          const shape: BatchShape = { rows: batchSize, lengths: task.pad(longest) };
          const key = shape.lengths.join(' x ');
          const session =
            sessions.get(key) ??
            (await Session.create({ outputs: { loss: task.buildEvaluation(shape).loss }, variables }));
          sessions.set(key, session);
          const weight = batch.reduce((total, pair) => total + task.weight(pair), 0);
          sum += Number((await session.run(task.feeds(batch, shape))).loss[0]) * weight;
          weights += weight;
        }
      } finally {
        for (const session of sessions.values()) await session.close();
      }
      return weights === 0 ? null : sum / weights;
    },
  };
}
