import { RedefError, type RunOptions } from '@redef/core';
import { checkInteger } from '../check-integer.js';
import type { BeamSearchOptions } from './beam-search.js';
import type { DecodeLimits, DecoderStep, Hypothesis } from './decoder-step.js';
import { checkHuggingFaceRule, HuggingFaceBeam, type HuggingFaceRule } from './hugging-face-beam.js';
import { checkLimits, runSteps, type SampleSearch } from './run-steps.js';

export interface DiverseBeamSearchOptions extends Omit<BeamSearchOptions, 'rule'> {
  /** Groups that share the width; it must be a multiple. */
  groups: number;
  /** Taken off a token's log-probability for each beam of an earlier group that chose it at the same step. */
  diversityPenalty: number;
  rule?: HuggingFaceRule;
}

/**
 * Diverse beam search (Vijayakumar et al., 2018, Hamming diversity) as Hugging Face's `num_beam_groups` does it: the
 * groups choose one after the other at each step. Scores have the penalties in them, log-probabilities have not.
 *
 * @returns for each sample up to `width` sequences of all groups, best first; two groups may give the same one
 */
export async function diverseBeamSearch<State>(
  decoder: DecoderStep<State>,
  initial: State,
  samples: number,
  options: DiverseBeamSearchOptions,
  runOptions?: RunOptions,
): Promise<Hypothesis[][]> {
  const { width, groups, diversityPenalty, rule = { name: 'hugging-face' }, ...limits } = options;
  checkLimits(decoder, samples, limits);
  checkInteger('width', width, 1);
  checkInteger('groups', groups, 1, width);
  checkHuggingFaceRule(rule);
  if (width % groups !== 0 || !(diversityPenalty >= 0)) {
    throw new RedefError(`width ${width} must be a multiple of groups ${groups}, and the penalty not negative`, {
      code: 'invalid-option',
      remedy: 'Pass for example width 50, groups 10, diversityPenalty 0.5.',
    });
  }
  const searches = Array.from(
    { length: samples },
    () => new DiverseBeam(width / groups, groups, diversityPenalty, decoder.vocabularySize, limits, rule),
  );
  await runSteps(decoder, initial, searches, limits, runOptions);
  return searches.map((search) => search.finish());
}

class DiverseBeam implements SampleSearch {
  done = false;
  parents: number[] = [];
  tokens: number[] = [];
  readonly #groups: HuggingFaceBeam[];
  /** Rows of each group in the step at hand; all share the one row of the first. */
  #rows: number[] | undefined;

  constructor(
    width: number,
    groups: number,
    private readonly penalty: number,
    private readonly vocabulary: number,
    limits: DecodeLimits,
    rule: HuggingFaceRule,
  ) {
    this.#groups = Array.from({ length: groups }, () => new HuggingFaceBeam(width, vocabulary, limits, rule));
  }

  advance(logProbabilities: Float32Array): void {
    const { vocabulary, penalty } = this;
    const chosen = new Map<number, number>();
    const rows = this.#rows;
    this.parents = [];
    this.tokens = [];
    let first = 0;
    this.#rows = this.#groups.map((group, index) => {
      if (group.done) return 0;
      const count = rows ? rows[index]! : 1;
      const own = logProbabilities.subarray(first * vocabulary, (first + count) * vocabulary);
      const penalised = own.slice();
      for (const [token, times] of chosen) {
        for (let row = 0; row < count; row++) penalised[row * vocabulary + token]! -= penalty * times;
      }
      group.advance(own, penalised);
      for (const token of group.tokens) chosen.set(token, (chosen.get(token) ?? 0) + 1);
      if (!group.done) {
        for (const parent of group.parents) this.parents.push(first + parent);
        this.tokens.push(...group.tokens);
      }
      if (rows) first += count;
      return group.done ? 0 : group.tokens.length;
    });
    this.done = this.#groups.every((group) => group.done);
  }

  finish(): Hypothesis[] {
    // As the original's: of equal scores the one added last comes first, so the groups are read backwards.
    return this.#groups
      .map((group) => group.finish())
      .reverse()
      .flat()
      .sort((a, b) => b.score - a.score);
  }
}
