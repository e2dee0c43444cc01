import type { EncodedChange } from './fit.js';

/** Lengths at which the cumulative distribution of ReDef, Figure 3, is given. */
const marks = [64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192, 16_384];
const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

/** How long inputs are before anything is cut, in tokens, special tokens not included. */
export interface LengthDistribution {
  mean: number;
  max: number;
  /** The smallest length that this share of the changes does not exceed. */
  quantiles: { share: number; tokens: number }[];
  /** Share of the changes of at most so many tokens: a point of Figure 3's curve each. */
  cumulative: { tokens: number; share: number }[];
}

export interface EncodingSummary {
  changes: number;
  /** Changes of which the budget cut something off. */
  truncated: number;
  tokens: number;
  tokensLost: number;
  changedLines: number;
  /** Changed lines that the encoding shows at all, and those whole within the budget. */
  changedLinesShown: number;
  changedLinesKept: number;
  /** `changedLinesKept / changedLines`, 0 to 1; absent where no line changed. */
  shareKept?: number;
  /** `changedLinesKept / changedLinesShown`: what the cut alone did. Absent where none is shown. */
  shareKeptOfShown?: number;
  /** Changes with changed lines of which not one is whole within the budget. */
  changesWithoutEdit: number;
  /** Changes that had marks of the encoding in their source; absent where what was added does not tell. */
  withEscapedMarks?: number;
  /** Edits that `unified-words` left without word marks; absent where there are none. */
  unmarkedEdits?: number;
  lengths: LengthDistribution;
}

/** What is summed up of an encoded change. */
export type EncodedCounts = Pick<
  EncodedChange,
  'tokens' | 'tokensLost' | 'changedLines' | 'changedLinesShown' | 'changedLinesKept'
> &
  Partial<Pick<EncodedChange, 'escapedMarks' | 'unmarkedEdits'>>;

/**
 * Sums up what one encoding under one budget kept and lost. ReDef, section 5, explains by it why compact encodings win;
 * the paper gives no such figures. Of `after-only`, `lengths` is the curve of Figure 3. Keeps one count for each length
 * that occurs, so memory does not grow with the number of changes.
 */
export class EncodingSummarizer {
  readonly #lengths = new Map<number, number>();
  readonly #sums = {
    changes: 0,
    truncated: 0,
    tokens: 0,
    tokensLost: 0,
    changedLines: 0,
    changedLinesShown: 0,
    changedLinesKept: 0,
    changesWithoutEdit: 0,
  };
  #withEscapedMarks: number | undefined;
  #unmarkedEdits = 0;

  add(encoded: EncodedCounts): void {
    const sums = this.#sums;
    sums.changes++;
    sums.tokens += encoded.tokens;
    sums.tokensLost += encoded.tokensLost;
    sums.changedLines += encoded.changedLines;
    sums.changedLinesShown += encoded.changedLinesShown;
    sums.changedLinesKept += encoded.changedLinesKept;
    if (encoded.tokensLost > 0) sums.truncated++;
    if (encoded.changedLines > 0 && encoded.changedLinesKept === 0) sums.changesWithoutEdit++;
    if (encoded.escapedMarks !== undefined) {
      this.#withEscapedMarks = (this.#withEscapedMarks ?? 0) + (encoded.escapedMarks > 0 ? 1 : 0);
    }
    this.#unmarkedEdits += encoded.unmarkedEdits ?? 0;
    this.#lengths.set(encoded.tokens, (this.#lengths.get(encoded.tokens) ?? 0) + 1);
  }

  summary(): EncodingSummary {
    const { changedLines, changedLinesShown, changedLinesKept } = this.#sums;
    return {
      ...this.#sums,
      ...(this.#withEscapedMarks !== undefined && { withEscapedMarks: this.#withEscapedMarks }),
      ...(this.#unmarkedEdits > 0 && { unmarkedEdits: this.#unmarkedEdits }),
      ...(changedLines > 0 && { shareKept: changedLinesKept / changedLines }),
      ...(changedLinesShown > 0 && { shareKeptOfShown: changedLinesKept / changedLinesShown }),
      lengths: this.#distribution(),
    };
  }

  #distribution(): LengthDistribution {
    const { changes, tokens } = this.#sums;
    const sorted = [...this.#lengths].sort(([a], [b]) => a - b);
    const countAtMost = (limit: number): number =>
      sorted.reduce((sum, [length, count]) => (length <= limit ? sum + count : sum), 0);
    const quantile = (share: number): number => {
      let seen = 0;
      for (const [length, count] of sorted) {
        seen += count;
        if (seen >= share * changes) return length;
      }
      return 0;
    };
    return {
      mean: changes === 0 ? 0 : tokens / changes,
      max: sorted.at(-1)?.[0] ?? 0,
      quantiles: quantiles.map((share) => ({ share, tokens: quantile(share) })),
      cumulative: marks.map((limit) => ({ tokens: limit, share: changes === 0 ? 0 : countAtMost(limit) / changes })),
    };
  }
}
