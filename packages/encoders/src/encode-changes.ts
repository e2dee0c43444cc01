import { mapOrdered, RedefError, type SplitName, throwIfAborted } from '@redef/core';
import { type EncodedChange, fitIds, fitLayout, withMarks } from './fit.js';
import { type ChangeText, type Layout, renderLayout } from './layout.js';
import type { Budget } from './tokenizers/tokenizer.js';

/** What lays changes out: an encoding, or a counterfactual, which asks for the split. */
export interface Encoder {
  readonly specialTokens: readonly string[];
  layout(change: ChangeText, split: SplitName): Layout;
}

export interface EncodeChangesOptions {
  /** The split at hand, which decides whether a counterfactual perturbs. Default `train`. */
  split?: SplitName;
  /** Changes tokenized at once where the tokenizer takes batches. Default 64. */
  batchSize?: number;
  signal?: AbortSignal;
}

/**
 * Encodes a stream of changes in order, equal to `encode` one by one, with whole batches to a tokenizer that takes them.
 * Holds two batches at a time, or one change where there are none, however long the stream is.
 *
 * The signal is looked at before each change: it does not end the wait for one.
 *
 * @throws `RedefError` `invalid-option`, `aborted`, and what the source and the encoder throw, after the rows before it
 */
export async function* encodeChanges(
  changes: AsyncIterable<ChangeText> | Iterable<ChangeText>,
  encoder: Encoder,
  budget: Budget,
  { split = 'train', batchSize = 64, signal }: EncodeChangesOptions = {},
): AsyncGenerator<EncodedChange, void, undefined> {
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new RedefError(`batchSize must be an integer of at least 1, got ${batchSize}`, {
      code: 'invalid-option',
      remedy: 'Leave it out for 64.',
    });
  }
  const tokenizer = withMarks(budget.tokenizer, encoder.specialTokens);
  const { maxTokens } = budget;
  async function* laidOut() {
    for await (const change of changes) {
      throwIfAborted(signal);
      const layout = encoder.layout(change, split);
      yield { id: change.id, layout };
    }
  }
  if (!tokenizer.encodeBatch) {
    for await (const { id, layout } of laidOut()) yield fitLayout(id, layout, { tokenizer, maxTokens });
    return;
  }
  const encodeBatch = async (batch: readonly { id: string; layout: Layout }[]): Promise<EncodedChange[]> => {
    const texts = batch.map(({ layout }) => renderLayout(layout));
    const ids = await tokenizer.encodeBatch!(texts.flat());
    let next = 0;
    return batch.map(({ id, layout }, i) => {
      const own = ids.slice(next, next + texts[i]!.length);
      next += own.length;
      return fitIds(id, layout, texts[i]!, own, { tokenizer, maxTokens });
    });
  };
  for await (const batch of mapOrdered(inBatches(laidOut(), batchSize), encodeBatch, {
    concurrency: 2,
    ...(signal && { signal }),
  })) {
    for (const encoded of batch) {
      throwIfAborted(signal);
      yield encoded;
    }
  }
}

/** Where the items end with an error, what came before it is a batch still. */
async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void, undefined> {
  let batch: T[] = [];
  try {
    for await (const item of items) {
      batch.push(item);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
