import type { RunOptions } from '@redef/core';
import type { DecodeLimits, DecoderStep, Hypothesis } from './decoder-step.js';
import { checkLimits, runSteps, type SampleSearch } from './run-steps.js';
import { selectTop } from './select-top.js';

/**
 * The most probable token at each step (of equal ones the lowest), batched over samples; a sample leaves the batch with
 * its end token.
 *
 * @param initial the decoder's state with one row for each sample
 * @throws `RedefError` `invalid-option`, `invalid-decoder`, or `aborted`
 */
export async function greedySearch<State>(
  decoder: DecoderStep<State>,
  initial: State,
  samples: number,
  limits: DecodeLimits,
  runOptions?: RunOptions,
): Promise<Hypothesis[]> {
  checkLimits(decoder, samples, limits);
  const paths = Array.from({ length: samples }, () => {
    return new SinglePath(limits.endToken, (logProbabilities) => {
      const best = selectTop(logProbabilities, decoder.vocabularySize, [0], 1);
      return best.tokens[0]!;
    });
  });
  await runSteps(decoder, initial, paths, limits, runOptions);
  return paths.map((path) => path.finish());
}

/** One sequence that grows by whatever token `choose` picks. */
export class SinglePath implements SampleSearch {
  done = false;
  readonly parents = [0];
  tokens: number[] = [];
  readonly #sequence: number[] = [];
  #logProbability = 0;

  constructor(
    private readonly endToken: number,
    private readonly choose: (logProbabilities: Float32Array) => number,
  ) {}

  advance(logProbabilities: Float32Array): void {
    const token = this.choose(logProbabilities);
    this.#logProbability += logProbabilities[token]!;
    this.done = token === this.endToken;
    this.tokens = [token];
    if (!this.done) this.#sequence.push(token);
  }

  finish(): Hypothesis {
    return {
      tokens: Int32Array.from(this.#sequence),
      logProbability: this.#logProbability,
      score: this.#logProbability,
      finished: this.done,
    };
  }
}
