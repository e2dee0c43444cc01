import { RedefError, type Rng, type RunOptions } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import type { DecodeLimits, DecoderStep, Hypothesis } from './decoder-step.js';
import { SinglePath } from './greedy-search.js';
import { checkLimits, runSteps, type SampleSearch } from './run-steps.js';

export interface NucleusSamplingOptions extends DecodeLimits {
  /** Draw from the fewest most probable tokens that together reach this probability, in (0, 1]. Default 0.95. */
  topP?: number;
  /** Log-probabilities are divided by it first; above 0. Default 1. */
  temperature?: number;
  /** Sequences for each sample. Default 1. */
  draws?: number;
  /** What each sample's stream of random numbers is named by. Default: its place in the batch. */
  sampleKeys?: readonly (string | number)[];
}

/**
 * Nucleus sampling (Holtzman et al., 2020), all draws of all samples in one batch. Each draw has its own stream, so what
 * it gives does not depend on the others. Log-probabilities are the model's own, before temperature and cut.
 *
 * @returns for each sample its sequences in the order drawn
 * @throws `RedefError` `invalid-option`, `invalid-decoder`, or `aborted`
 */
export async function nucleusSampling<State>(
  decoder: DecoderStep<State>,
  initial: State,
  samples: number,
  options: NucleusSamplingOptions,
  rng: Rng,
  runOptions?: RunOptions,
): Promise<Hypothesis[][]> {
  const { topP = 0.95, temperature = 1, draws = 1, sampleKeys, ...limits } = options;
  checkLimits(decoder, samples, limits);
  checkInteger('draws', draws, 1);
  if (!(topP > 0 && topP <= 1) || !(temperature > 0 && temperature < Infinity)) {
    throw new RedefError(`topP must be in (0, 1] and temperature above 0, got ${topP} and ${temperature}`, {
      code: 'invalid-option',
      remedy: 'Pass topP 0.95 and temperature 1; for the most probable token alone use greedySearch.',
    });
  }
  const searches = Array.from({ length: samples }, (_, sample) => {
    const paths = Array.from({ length: draws }, (_, draw) => {
      const stream = rng.fork(sampleKeys?.[sample] ?? sample).fork(draw);
      return new SinglePath(limits.endToken, (row) => drawToken(nucleus(row, topP, temperature), stream.next()));
    });
    return new SampledPaths(paths, decoder.vocabularySize);
  });
  await runSteps(decoder, initial, searches, limits, runOptions);
  return searches.map((search) => search.finish());
}

/** The tokens that may be drawn, most probable first, with probabilities that sum to 1. */
export interface Nucleus {
  tokens: Int32Array;
  probabilities: Float64Array;
}

/** The fewest most probable tokens whose probabilities at a temperature reach `topP`; of equal ones the lower first. */
export function nucleus(logProbabilities: Float32Array, topP: number, temperature: number): Nucleus {
  const order = Int32Array.from(logProbabilities, (_, token) => token).sort(
    (a, b) => logProbabilities[b]! - logProbabilities[a]! || a - b,
  );
  const highest = logProbabilities[order[0]!]!;
  const weights = Float64Array.from(order, (token) => Math.exp((logProbabilities[token]! - highest) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) {
    throw new RedefError('the decoder gave no token a log-probability above -Infinity', {
      code: 'invalid-decoder',
      remedy: 'Look for NaN in the model: a learning rate too high, or weights of another model.',
    });
  }
  let kept = 0;
  let mass = 0;
  while (kept < order.length && (kept === 0 || mass < topP * total) && weights[kept]! > 0) mass += weights[kept++]!;
  return { tokens: order.slice(0, kept), probabilities: weights.slice(0, kept).map((weight) => weight / mass) };
}

function drawToken({ tokens, probabilities }: Nucleus, uniform: number): number {
  let rest = uniform;
  for (let i = 0; i < tokens.length; i++) {
    rest -= probabilities[i]!;
    if (rest < 0) return tokens[i]!;
  }
  return tokens.at(-1)!;
}

/** Several independent paths of one sample. */
class SampledPaths implements SampleSearch {
  done = false;
  parents: number[] = [];
  tokens: number[] = [];
  /** The path of each row; at first one row for all. */
  #rows: SinglePath[] | undefined;

  constructor(
    private readonly paths: readonly SinglePath[],
    private readonly vocabulary: number,
  ) {}

  advance(logProbabilities: Float32Array): void {
    const first = this.#rows === undefined;
    const rows = this.#rows ?? this.paths;
    this.parents = [];
    this.tokens = [];
    const next: SinglePath[] = [];
    rows.forEach((path, index) => {
      const row = first ? 0 : index;
      path.advance(logProbabilities.subarray(row * this.vocabulary, (row + 1) * this.vocabulary));
      if (path.done) return;
      next.push(path);
      this.parents.push(row);
      this.tokens.push(path.tokens[0]!);
    });
    this.#rows = next;
    this.done = next.length === 0;
  }

  finish(): Hypothesis[] {
    return this.paths.map((path) => path.finish());
  }
}
