import { RedefError } from '@redef/core';
import { BeamHistory } from './beam-history.js';
import type { DecodeLimits, Hypothesis } from './decoder-step.js';
import type { SampleSearch } from './run-steps.js';
import { selectTop } from './select-top.js';

/** Hugging Face's `generate` with `num_beams`, the rule of VulRepair. */
export interface HuggingFaceRule {
  name: 'hugging-face';
  /** A sequence is ranked by its log-probability / (tokens ** lengthPenalty), the end token counted. Default 1. */
  lengthPenalty?: number;
  /**
   * When to stop once `width` sequences are finished: `true` at once; `false` (default) when no beam is better than the
   * worst of them at its present length; `'never'` when none could become so at any length.
   */
  earlyStopping?: boolean | 'never';
  /**
   * Count the start token in the length of sequences that the limit cut off, as transformers before 4.31 did; changes
   * their place in the ranking, never their tokens. Default false.
   */
  countStartToken?: boolean;
}

/** @throws `RedefError` `invalid-option` where it is no rule, or has a value that would rank nothing */
export function checkHuggingFaceRule({ name, lengthPenalty = 1, earlyStopping = false }: HuggingFaceRule): void {
  if (name === 'hugging-face' && Number.isFinite(lengthPenalty) && [true, false, 'never'].includes(earlyStopping))
    return;
  throw new RedefError(
    `expected the rule hugging-face or codexglue, a finite lengthPenalty, and earlyStopping true, false or 'never'; got ${JSON.stringify({ name, lengthPenalty, earlyStopping })}`,
    { code: 'invalid-option', remedy: "Pass for example { name: 'hugging-face', lengthPenalty: 1 }." },
  );
}

/** A finished sequence: its last token (before the end token) is at `step`, `slot`. */
interface Finished {
  score: number;
  logProbability: number;
  step: number;
  slot: number;
  finished: boolean;
}

/**
 * The beam of one sample as `BeamSearchScorer` of Hugging Face's transformers keeps it. Each step looks at
 * the best 2 x width continuations; an end token among the first `width` of them finishes a sequence and leaves the
 * beam. Different only where the vocabulary is smaller than 2 x width: there the original fills up the first step with
 * copies of one beam at -1e9, which are left out here.
 */
export class HuggingFaceBeam implements SampleSearch {
  done = false;
  parents = new Int32Array(0);
  tokens = new Int32Array(0);
  readonly #history = new BeamHistory();
  /** In the order they were added. */
  readonly #kept: Finished[] = [];
  #scores = new Float32Array(1);
  /** Of the same beams, without what a diverse beam takes off. */
  #sums = new Float32Array(1);

  constructor(
    private readonly width: number,
    private readonly vocabulary: number,
    private readonly limits: DecodeLimits,
    private readonly rule: HuggingFaceRule,
  ) {}

  /** @param chooseBy the log-probabilities less the penalties of a diverse beam */
  advance(logProbabilities: Float32Array, chooseBy = logProbabilities): void {
    const { width, limits, vocabulary } = this;
    const step = this.#history.length;
    const best = selectTop(chooseBy, vocabulary, this.#scores, 2 * width);
    const sums = Float32Array.from(best.tokens, (token, rank) => {
      const row = best.rows[rank]!;
      return this.#sums[row]! + logProbabilities[row * vocabulary + token]!;
    });
    const next: number[] = [];
    for (let rank = 0; rank < best.tokens.length && next.length < width; rank++) {
      if (best.tokens[rank] !== limits.endToken) next.push(rank);
      else if (rank < width) this.#keep(best.scores[rank]!, sums[rank]!, step - 1, best.rows[rank]!, true);
    }
    this.#scores = Float32Array.from(next, (rank) => best.scores[rank]!);
    this.#sums = Float32Array.from(next, (rank) => sums[rank]!);
    this.parents = Int32Array.from(next, (rank) => best.rows[rank]!);
    this.tokens = Int32Array.from(next, (rank) => best.tokens[rank]!);
    this.#history.push(this.parents, this.tokens);
    this.done = next.length === 0 || this.#cannotImprove(best.scores[0]!, step + 1);
  }

  /** Best first; beams cut off by the limit are ranked among the finished. At most `width`. */
  finish(): Hypothesis[] {
    if (!this.done) {
      const last = this.#history.length - 1;
      this.#scores.forEach((score, slot) => {
        this.#keep(score, this.#sums[slot]!, last, slot, false);
      });
    }
    return this.#kept
      .map((kept, order) => ({ kept, order }))
      .sort((a, b) => b.kept.score - a.kept.score || b.order - a.order)
      .map(({ kept: { score, logProbability, step, slot, finished } }) => {
        return { tokens: this.#history.trace(step, slot), logProbability, score, finished };
      });
  }

  #keep(sum: number, logProbability: number, step: number, slot: number, finished: boolean): void {
    const length = finished ? step + 2 : step + 1 + Number(this.rule.countStartToken ?? false);
    const score = this.#normalised(sum, length);
    if (this.#kept.length === this.width) {
      const worst = this.#worst();
      if (!(score > this.#kept[worst]!.score)) return;
      this.#kept.splice(worst, 1);
    }
    this.#kept.push({ score, logProbability, step, slot, finished });
  }

  /** Of equal ones the first added. */
  #worst(): number {
    let worst = 0;
    for (let i = 1; i < this.#kept.length; i++) if (this.#kept[i]!.score < this.#kept[worst]!.score) worst = i;
    return worst;
  }

  #cannotImprove(bestSum: number, length: number): boolean {
    const { lengthPenalty = 1, earlyStopping = false } = this.rule;
    if (this.#kept.length < this.width) return false;
    if (earlyStopping === true) return true;
    const longest = earlyStopping === 'never' && lengthPenalty > 0 ? this.limits.maxNewTokens : length;
    return this.#kept[this.#worst()]!.score >= this.#normalised(bestSum, longest);
  }

  #normalised(sum: number, length: number): number {
    return sum / length ** (this.rule.lengthPenalty ?? 1);
  }
}
