import { RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import type { DecodeLimits, DecoderStep } from './decoder-step.js';

/** The search of one sample: told the log-probabilities of its rows, it says how to go on. */
export interface SampleSearch {
  /** Rows of the step that comes next. Not asked again once `done`. */
  readonly done: boolean;
  /** For each row of the next step, the row of the step before it goes on from. */
  readonly parents: ArrayLike<number>;
  /** For each row of the next step, the token to feed. */
  readonly tokens: ArrayLike<number>;
  advance(logProbabilities: Float32Array): void;
}

/**
 * Runs the searches of a batch in step: one decoder call for all rows of the samples that are not done. A sample that is
 * done, and a row that its search gave up, costs nothing more.
 */
export async function runSteps<State>(
  decoder: DecoderStep<State>,
  initial: State,
  searches: readonly SampleSearch[],
  { startToken, endToken, maxNewTokens, minNewTokens = 0 }: DecodeLimits,
  { signal, onEvent }: RunOptions = {},
): Promise<void> {
  const vocabulary = decoder.vocabularySize;
  const live = searches.map((search) => ({ search, rows: 1 }));
  let rows = Int32Array.from(searches, (_, sample) => sample);
  let tokens = new Int32Array(searches.length).fill(startToken);
  let state = initial;
  try {
    for (let step = 0; step < maxNewTokens && live.length > 0; step++) {
      throwIfAborted(signal);
      const result = await decoder.step(state, rows, tokens);
      state = result.state;
      const { logProbabilities } = result;
      if (logProbabilities.length !== rows.length * vocabulary) {
        throw new RedefError(
          `the decoder gave ${logProbabilities.length} log-probabilities for ${rows.length} rows of ${vocabulary}`,
          { code: 'invalid-decoder', remedy: 'Return rows x vocabularySize numbers from step().' },
        );
      }
      if (step < minNewTokens) {
        for (let row = 0; row < rows.length; row++) logProbabilities[row * vocabulary + endToken] = -Infinity;
      }

      let first = 0;
      let kept = 0;
      const nextRows: number[] = [];
      const nextTokens: number[] = [];
      for (const sample of live) {
        const { search } = sample;
        search.advance(logProbabilities.subarray(first * vocabulary, (first + sample.rows) * vocabulary));
        if (!search.done) {
          for (let i = 0; i < search.tokens.length; i++) {
            nextRows.push(first + search.parents[i]!);
            nextTokens.push(search.tokens[i]!);
          }
        }
        first += sample.rows;
        sample.rows = search.tokens.length;
        if (!search.done) live[kept++] = sample;
      }
      live.length = kept;
      rows = Int32Array.from(nextRows);
      tokens = Int32Array.from(nextTokens);
      onEvent?.({
        type: 'progress',
        stage: 'decode',
        done: searches.length - kept,
        total: searches.length,
        unit: 'samples',
      });
    }
  } finally {
    decoder.release?.(state);
  }
}

/** @throws `RedefError` `invalid-option` where a limit or token makes no sense for the decoder */
export function checkLimits(decoder: DecoderStep<unknown>, samples: number, limits: DecodeLimits): void {
  const { startToken, endToken, maxNewTokens, minNewTokens = 0 } = limits;
  checkInteger('samples', samples, 0);
  checkInteger('maxNewTokens', maxNewTokens, 1);
  checkInteger('minNewTokens', minNewTokens, 0, maxNewTokens);
  checkInteger('startToken', startToken, 0, decoder.vocabularySize - 1);
  checkInteger('endToken', endToken, 0, decoder.vocabularySize - 1);
}
