import { splitTokens } from '../format/special-tokens.js';

export interface CodePair {
  candidate: string;
  reference: string;
}

/** The components of CodeBLEU (Ren et al., 2020), each from 0 to 1 over the whole corpus. */
export interface CodeBleu {
  /** BLEU-4, zero counts smoothed by 0.1. */
  ngram: number;
  /** The same by recall, a keyword weighing five times another token. */
  weightedNgram: number;
  /** Subtrees of the references' syntax trees found in the candidates'; absent where no parser was given. */
  syntax?: number;
  /** Edges of the references' data flow found in the candidates'; absent likewise. */
  dataFlow?: number;
  /** The mean of the four; absent where one of them is. */
  score?: number;
}

export interface CodeBleuOptions {
  /** Default {@link cKeywords}. */
  keywords?: ReadonlySet<string>;
  /** All subtrees of a text with children, as S-expressions: see `@redef/repair/syntax`. */
  subtrees?: (code: string) => readonly string[];
  /** Its data flow, an edge a text: see `@redef/repair/syntax`. */
  dataFlow?: (code: string) => readonly string[];
}

/** C11's keywords. */
export const cKeywords: ReadonlySet<string> = new Set(
  `_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local auto break case
  char const continue default do double else enum extern float for goto if inline int long register restrict return
  short signed sizeof static struct switch typedef union unsigned void volatile while`.split(/\s+/),
);

const orders = [1, 2, 3, 4];
const smoothing = 0.1;
const otherWeight = 0.2;
/** The evaluator takes the length of (tokens, weights), a pair, for the reference's: so it all but never penalises. */
const weightedReferenceLength = 2;

/**
 * CodeBLEU as CodeXGLUE's evaluator computes it, on tokens split at white space and free of comments. That evaluator has no
 * data flow for C; the package `codebleu` on PyPI has, and that one's it is. Where no reference has any flow, the
 * data-flow match is 0 and so lowers the score, as in CodeXGLUE's.
 */
export function codeBleu(
  pairs: readonly CodePair[],
  { keywords = cKeywords, subtrees, dataFlow }: CodeBleuOptions = {},
): CodeBleu {
  const precision = orders.map(() => ({ matched: 0, total: 0 }));
  const recall = orders.map(() => ({ matched: 0, total: 0 }));
  let candidateLength = 0;
  let referenceLength = 0;
  for (const pair of pairs) {
    const candidate = splitTokens(pair.candidate);
    const reference = splitTokens(pair.reference);
    candidateLength += candidate.length;
    referenceLength += reference.length;
    for (const [index, order] of orders.entries()) {
      const inCandidate = countNgrams(candidate, order);
      const inReference = countNgrams(reference, order);
      const weigh = (ngram: string) => (order > 1 || keywords.has(ngram) ? 1 : otherWeight);
      add(precision[index]!, inCandidate, inReference, () => 1);
      add(recall[index]!, inReference, inCandidate, weigh);
    }
  }
  const scores: CodeBleu = {
    ngram: brevityPenalty(candidateLength, referenceLength) * geometricMean(precision),
    weightedNgram: brevityPenalty(candidateLength, weightedReferenceLength * pairs.length) * geometricMean(recall),
  };
  if (subtrees) scores.syntax = shareFound(pairs, subtrees, countAgain);
  if (dataFlow) scores.dataFlow = shareFound(pairs, dataFlow, countOnce);
  const { ngram, weightedNgram, syntax, dataFlow: flow } = scores;
  if (syntax !== undefined && flow !== undefined) scores.score = (ngram + weightedNgram + syntax + flow) / 4;
  return scores;
}

interface Share {
  matched: number;
  total: number;
}

function countNgrams(tokens: readonly string[], order: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + order <= tokens.length; i++) {
    const ngram = tokens.slice(i, i + order).join(' ');
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1);
  }
  return counts;
}

function add(
  share: Share,
  counts: ReadonlyMap<string, number>,
  others: ReadonlyMap<string, number>,
  weigh: (ngram: string) => number,
): void {
  let total = 0;
  for (const [ngram, count] of counts) {
    const weight = weigh(ngram);
    share.matched += weight * Math.min(count, others.get(ngram) ?? 0);
    total += weight * count;
  }
  share.total += Math.max(1, total);
}

/** 0 where not even one token is shared. */
function geometricMean(shares: readonly Share[]): number {
  if (shares[0]!.matched === 0) return 0;
  const logs = shares.map(({ matched, total }) => Math.log((matched === 0 ? smoothing : matched) / total));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / shares.length);
}

function brevityPenalty(candidateLength: number, referenceLength: number): number {
  if (candidateLength > referenceLength) return 1;
  return candidateLength === 0 ? 0 : Math.exp(1 - referenceLength / candidateLength);
}

/** How many of some texts are among others: each is found as often as it is asked for, or only as often as it is there. */
type Count = (wanted: readonly string[], there: readonly string[]) => number;

const countAgain: Count = (wanted, there) => {
  const known = new Set(there);
  return wanted.filter((text) => known.has(text)).length;
};

const countOnce: Count = (wanted, there) => {
  const left = new Map<string, number>();
  for (const text of there) left.set(text, (left.get(text) ?? 0) + 1);
  return wanted.filter((text) => {
    const count = left.get(text) ?? 0;
    if (count > 0) left.set(text, count - 1);
    return count > 0;
  }).length;
};

/** Of what the references have; 0 where they have nothing. */
function shareFound(pairs: readonly CodePair[], read: (code: string) => readonly string[], count: Count): number {
  let matched = 0;
  let total = 0;
  for (const { candidate, reference } of pairs) {
    const wanted = read(reference);
    total += wanted.length;
    matched += count(wanted, read(candidate));
  }
  return total === 0 ? 0 : matched / total;
}
