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
}

export interface CodeBleuOptions {
  /** Default {@link cKeywords}. */
  keywords?: ReadonlySet<string>;
  /** All subtrees of a text with children, as S-expressions: see `@redef/repair/syntax`. */
  subtrees?: (code: string) => readonly string[];
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
 * CodeBLEU's components as CodeXGLUE's evaluator computes them, on tokens split at white space. Its data-flow component
 * is not here: the evaluator has none for C, so there is no reference to be equal to, and no score of all four.
 */
export function codeBleu(
  pairs: readonly CodePair[],
  { keywords = cKeywords, subtrees }: CodeBleuOptions = {},
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
  return subtrees ? { ...scores, syntax: syntaxMatch(pairs, subtrees) } : scores;
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

function syntaxMatch(pairs: readonly CodePair[], subtrees: (code: string) => readonly string[]): number {
  let matched = 0;
  let total = 0;
  for (const { candidate, reference } of pairs) {
    const found = new Set(subtrees(candidate));
    for (const tree of subtrees(reference)) {
      total++;
      if (found.has(tree)) matched++;
    }
  }
  return total === 0 ? 0 : matched / total;
}
