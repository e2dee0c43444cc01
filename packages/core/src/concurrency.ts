import { RedefError } from './errors.js';

export interface MapOrderedOptions {
  /** How many calls may be under way at once, 1 or more. Default 8. */
  concurrency?: number;
  signal?: AbortSignal;
}

/**
 * Maps with at most `concurrency` calls under way and yields the results in the order of the input. Reads the input no
 * further ahead than that, so a slow consumer holds back the source. The first failure, be it of `map` or of the source,
 * ends the iteration after the results before it; a consumer's `break` closes the source and returns once the calls under
 * way are through.
 */
export async function* mapOrdered<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  map: (item: T, index: number) => Promise<R> | R,
  { concurrency = 8, signal }: MapOrderedOptions = {},
): AsyncGenerator<R, void, undefined> {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RedefError(`concurrency must be an integer of at least 1, got ${concurrency}`, {
      code: 'invalid-option',
      remedy: 'Pass concurrency: 1 for one call at a time.',
    });
  }
  const pending: Promise<R>[] = [];
  let index = 0;
  try {
    for await (const next of untilFailure(source)) {
      throwIfAborted(signal);
      const result =
        'error' in next
          ? Promise.reject(next.error)
          : Promise.resolve(index++).then((position) => map(next.item, position));
      result.catch(() => {}); // seen when its turn comes, not as an unhandled rejection before
      pending.push(result);
      if (pending.length >= concurrency) yield await pending.shift()!;
      throwIfAborted(signal);
    }
    while (pending.length > 0) {
      yield await pending.shift()!;
      throwIfAborted(signal);
    }
  } finally {
    await Promise.allSettled(pending);
  }
}

/** What a source gives, and at last the error that it ends with, if any. */
async function* untilFailure<T>(
  source: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<{ item: T } | { error: unknown }, void, undefined> {
  try {
    for await (const item of source) yield { item };
  } catch (error) {
    yield { error };
  }
}

/** Throws a `RedefError` with code `aborted` once the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new RedefError('The run was stopped before it was done', {
      code: 'aborted',
      remedy: 'Run the same command again: it goes on from what was finished.',
      cause: signal.reason,
    });
  }
}
