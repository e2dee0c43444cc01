import { BeamHistory } from './beam-history.js';
import type { Hypothesis } from './decoder-step.js';
import type { SampleSearch } from './run-steps.js';
import { selectTop } from './select-top.js';

/** The beam of CodeXGLUE's code refinement, which CodeBERT, GraphCodeBERT and UniXcoder were evaluated with. */
export interface CodexglueRule {
  name: 'codexglue';
}

interface Ended {
  score: number;
  step: number;
  slot: number;
}

/**
 * The beam of one sample by CodeXGLUE's rule: the plain sum of log-probabilities, no length penalty. Its particulars,
 * kept as they are: a beam that ends takes one of the `width` places of that step and has no children; the search is
 * done when the best beam of some step has ended and at least `width` have ended in all; what has ended is ranked before
 * all that has not; and where nothing has ended, the best beam is given twice. Different only where fewer than `width`
 * continuations exist: there the original adds impossible ones at -1e20, or fails.
 */
export class CodexglueBeam implements SampleSearch {
  done = false;
  parents = new Int32Array(0);
  tokens = new Int32Array(0);
  readonly #history = new BeamHistory();
  readonly #ended: Ended[] = [];
  /** Of the rows fed to the step at hand. */
  #rowScores: Float32Array = new Float32Array(1);
  /** Slot in the history of each of those rows. */
  #rowSlots: Int32Array = new Int32Array(1);
  #slotScores: Float32Array = new Float32Array(0);
  #slotTokens: Int32Array = new Int32Array(0);
  #endedOnTop = false;

  constructor(
    private readonly width: number,
    private readonly vocabulary: number,
    private readonly endToken: number,
  ) {}

  advance(logProbabilities: Float32Array): void {
    const step = this.#history.length;
    const best = selectTop(logProbabilities, this.vocabulary, this.#rowScores, this.width);
    const rowSlots = this.#rowSlots;
    this.#history.push(
      best.rows.map((row) => rowSlots[row]!),
      best.tokens,
    );
    this.#slotScores = best.scores;
    this.#slotTokens = best.tokens;

    const live: number[] = [];
    best.tokens.forEach((token, slot) => {
      if (token === this.endToken) this.#ended.push({ score: best.scores[slot]!, step, slot });
      else live.push(slot);
    });
    this.#rowSlots = Int32Array.from(live);
    this.#rowScores = Float32Array.from(live, (slot) => best.scores[slot]!);
    this.parents = Int32Array.from(live, (slot) => best.rows[slot]!);
    this.tokens = Int32Array.from(live, (slot) => best.tokens[slot]!);
    this.#endedOnTop ||= best.tokens[0] === this.endToken;
    this.done = live.length === 0 || (this.#endedOnTop && this.#ended.length >= this.width);
  }

  /** Ended ones first, each part best first. At most `width`. */
  finish(): Hypothesis[] {
    const byScore = (a: Ended, b: Ended) => b.score - a.score; // stable: of equal ones the earlier stays first
    const step = this.#history.length - 1;
    const result = [...this.#ended].sort(byScore);
    if (result.length === 0) result.push({ score: this.#slotScores[0]!, step, slot: 0 });
    if (result.length < this.width) {
      const open: Ended[] = [];
      this.#slotScores.forEach((score, slot) => {
        if (this.#slotTokens[slot] !== this.endToken) open.push({ score, step, slot });
      });
      result.push(...open.sort(byScore).slice(0, this.width - result.length));
    }
    return result.slice(0, this.width).map(({ score, step, slot }) => {
      const sequence = this.#history.trace(step, slot);
      const finished = sequence.at(-1) === this.endToken;
      return { tokens: finished ? sequence.slice(0, -1) : sequence, logProbability: score, score, finished };
    });
  }
}
