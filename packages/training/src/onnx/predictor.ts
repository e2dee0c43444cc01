import { Session, type Variables } from '@redef/autodiff';
import { type RunOptions, throwIfAborted } from '@redef/core';
import type { Example, Score } from '../engine.js';
import { outOfMemory } from '../fit/out-of-memory.js';
import { buildClassifier, type Classifier, padIds, padLength } from './classifier.js';

export type Unlabelled = Pick<Example, 'id' | 'inputIds'>;

/** Batches that are read ahead and sorted by length together. */
const windowBatches = 32;

/**
 * Scores examples in their order, a window of batches at a time: inside it they are sorted by length, so that a batch
 * pads little. Memory holds one window.
 *
 * @param check sees each example before it is used, and may throw
 */
export async function* predictScores(
  classifier: Classifier,
  variables: Variables,
  examples: AsyncIterable<Unlabelled> | Iterable<Unlabelled>,
  {
    batchSize,
    check,
    signal,
  }: { batchSize: number; check?: (example: Unlabelled) => void } & Pick<RunOptions, 'signal'>,
): AsyncGenerator<Score, void, undefined> {
  const sessions = new Map<number, Session<'logits'>>();
  const batchesPerRun = variables.driver.loopsSteps ? 8 : 1; // there each run brings the weights anew
  try {
    for await (const window of windowsOf(examples, windowBatches * batchSize)) {
      for (const example of window) check?.(example);
      yield* await scoreWindow(window);
    }
  } finally {
    for (const session of sessions.values()) await session.close();
  }

  async function scoreWindow(window: readonly Unlabelled[]): Promise<Score[]> {
    const order = window.map((_, index) => index);
    order.sort((a, b) => window[a]!.inputIds.length - window[b]!.inputIds.length);
    const scores: Score[] = [];
    for (const indices of chunks(order, batchSize * batchesPerRun)) {
      throwIfAborted(signal);
      const logits = await runTogether(indices.map((index) => window[index]!));
      for (const [row, index] of indices.entries()) scores[index] = scoreOf(window[index]!, logits[row]!);
    }
    return scores;
  }

  /** @param examples in rising order of length; all are padded to the last one's */
  async function runTogether(examples: readonly Unlabelled[]): Promise<[clean: number, defective: number][]> {
    const lengths = padLength([examples.at(-1)!.inputIds.length], classifier.config);
    const shape = { rows: batchSize, lengths };
    try {
      let session = sessions.get(lengths[0]);
      if (!session) {
        const { logits } = buildClassifier(classifier, shape, { training: false });
        session = await Session.create({ outputs: { logits }, variables });
        sessions.set(lengths[0], session);
      }
      const batches = chunks(examples, batchSize);
      const results = await session.runSteps(
        batches.map((batch) => ({ feeds: { ids: padIds(batch, shape, classifier.config) } })),
      );
      return results.flatMap(({ logits }, index) =>
        batches[index]!.map((_, row): [number, number] => [Number(logits[2 * row]), Number(logits[2 * row + 1])]),
      );
    } catch (error) {
      throw outOfMemory(error, `predicting ${examples.map(({ id }) => id).join(', ')}`, shape);
    }
  }
}

function scoreOf({ id }: Unlabelled, logits: readonly [clean: number, defective: number]): Score {
  return { id, score: 1 / (1 + Math.exp(logits[0] - logits[1])), logits };
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
    items.slice(chunk * size, (chunk + 1) * size),
  );
}

async function* windowsOf<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncGenerator<T[]> {
  let window: T[] = [];
  for await (const item of items) {
    window.push(item);
    if (window.length < size) continue;
    yield window;
    window = [];
  }
  if (window.length > 0) yield window;
}
