import { fail, type Numbers, requireOneOf, requireOptions } from '../checks.js';
import { midranks, tieSum } from '../ranks.js';
import { type Alternative, alternatives, type ResultHeader } from '../result.js';
import { normalTail } from '../special/tails.js';
import { failAllZero, pairedDifferences } from './differences.js';
import { signedRankDistribution } from './signed-rank-distribution.js';

const zeroMethods = ['wilcox', 'pratt', 'zsplit'] as const;
const methods = ['auto', 'exact', 'normal'] as const;
/** The exact distribution takes n³ steps: a second at this size. */
const largestExact = 500;

export interface WilcoxonOptions {
  /** Default `'two-sided'`. */
  alternative?: Alternative;
  /** `'auto'`, the default, is exact up to 50 pairs that carry a sign, else normal. */
  method?: (typeof methods)[number];
  /**
   * Differences of zero: `'wilcox'` (default) leaves them out; `'pratt'` ranks them, then leaves their ranks out;
   * `'zsplit'` ranks them and gives half of their ranks to each side. The names are SciPy's.
   */
  zeroMethod?: (typeof zeroMethods)[number];
  /** Continuity correction of the normal approximation, as R does. Default true (SciPy's default is false). */
  continuity?: boolean;
}

export interface WilcoxonResult extends ResultHeader {
  kind: 'wilcoxon-signed-rank';
  alternative: Alternative;
  /** Sum of the ranks of positive differences a - b (R's V). */
  wPlus: number;
  wMinus: number;
  /** SciPy's statistic: the smaller sum when two-sided, else `wPlus`. */
  statistic: number;
  p: number;
  exact: boolean;
  /** Of the normal approximation; absent when exact. */
  z?: number;
  zeros: number;
  /**
   * Matched-pairs rank-biserial correlation, (W+ - W-) / (W+ + W-), in [-1, 1]. With `'zsplit'` the ranks of zeros stand
   * in both sums, so that they draw it towards 0; with the other two they stand in neither.
   */
  rankBiserial: number;
  zeroMethod: (typeof zeroMethods)[number];
}

/**
 * Wilcoxon's signed-rank test of the differences a - b. The exact p-value is that of the permutation distribution of
 * the ranks at hand, so it holds with ties and zeros too, where SciPy and R fall back to the normal one. Differences that
 * are equal but for the rounding of a - b are ties: 0.3 - 0.2 and 0.2 - 0.1, say, which the two take for different. How
 * much that is follows from each pair's own size; whole numbers are taken as they are.
 */
export function wilcoxonSignedRank(a: Numbers, b: Numbers, options: WilcoxonOptions = {}): WilcoxonResult {
  const {
    alternative = 'two-sided',
    method = 'auto',
    zeroMethod = 'wilcox',
    continuity = true,
  } = requireOptions(options);
  requireOneOf(alternative, alternatives, 'alternative');
  requireOneOf(method, methods, 'method');
  requireOneOf(zeroMethod, zeroMethods, 'zeroMethod');
  const { values, rounding } = pairedDifferences(a, b);
  const all = values.map((d, i) => (Math.abs(d) <= rounding[i]! ? 0 : d));
  const zeros = all.reduce((count, d) => count + (d === 0 ? 1 : 0), 0);
  const signed = all.length - zeros;
  if (signed === 0) failAllZero(all.length, 'there is no rank to sum');
  if (method === 'exact' && signed > largestExact) {
    fail(
      'invalid-option',
      `method 'exact' takes at most ${largestExact} non-zero differences, got ${signed}`,
      "Pass method: 'normal': at this size the two agree to many digits.",
    );
  }
  const isRanked = (i: number): boolean => zeroMethod !== 'wilcox' || all[i] !== 0;
  const differences = all.filter((_, i) => isRanked(i));
  const n = differences.length;
  const { ranks, ties } = midranks(
    differences.map(Math.abs),
    rounding.filter((_, i) => isRanked(i)),
  );

  let wPlus = 0;
  let wMinus = 0;
  let zeroRanks = 0;
  const signedRanks: number[] = []; // doubled, of the differences that carry a sign
  differences.forEach((d, i) => {
    const rank = ranks[i]!;
    if (d === 0) zeroRanks += rank;
    else signedRanks.push(2 * rank);
    if (d > 0) wPlus += rank;
    else if (d < 0) wMinus += rank;
  });
  const positiveOnly = wPlus;
  if (zeroMethod === 'zsplit') {
    wPlus += zeroRanks / 2;
    wMinus += zeroRanks / 2;
  }
  const statistic = alternative === 'two-sided' ? Math.min(wPlus, wMinus) : wPlus;
  const exact = method === 'exact' || (method === 'auto' && signed <= 50);
  const outcome = exact
    ? { p: exactP(signedRanks, 2 * positiveOnly, alternative) }
    : normalP({ statistic, n, zeros: zeroMethod === 'pratt' ? zeros : 0, ties, alternative, continuity });
  return {
    kind: 'wilcoxon-signed-rank',
    method: exact ? 'Wilcoxon signed-rank test, exact' : normalName(continuity),
    n: all.length,
    alternative,
    assumptions: [
      'pairs are independent of each other',
      'under the null hypothesis the differences are symmetric about zero',
    ],
    wPlus,
    wMinus,
    statistic,
    ...outcome,
    exact,
    zeros,
    rankBiserial: (wPlus - wMinus) / (wPlus + wMinus),
    zeroMethod,
  };
}

const normalName = (continuity: boolean) =>
  `Wilcoxon signed-rank test, normal approximation${continuity ? ' with continuity correction' : ''}`;

function exactP(doubledRanks: readonly number[], observed: number, alternative: Alternative): number {
  const probability = signedRankDistribution(doubledRanks);
  let lower = 0;
  for (let sum = 0; sum <= observed; sum++) lower += probability[sum]!;
  let upper = 0;
  for (let sum = probability.length - 1; sum >= observed; sum--) upper += probability[sum]!;
  if (alternative === 'greater') return Math.min(1, upper);
  if (alternative === 'less') return Math.min(1, lower);
  return Math.min(1, 2 * Math.min(lower, upper));
}

interface NormalInput {
  statistic: number;
  n: number;
  /** Zeros that were ranked and then left out (Pratt). */
  zeros: number;
  ties: readonly number[];
  alternative: Alternative;
  continuity: boolean;
}

function normalP({ statistic, n, zeros, ties, alternative, continuity }: NormalInput): { p: number; z: number } {
  // Cureton (1967) for Pratt's zeros; their tie group left the ranks together with them.
  const centre = (n * (n + 1) - zeros * (zeros + 1)) / 4;
  const squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1);
  const tied = tieSum(ties) - (zeros > 1 ? zeros ** 3 - zeros : 0);
  const deviation = Math.sqrt((squares - tied / 2) / 24);
  const shift = { 'two-sided': 0.5 * Math.sign(statistic - centre), greater: 0.5, less: -0.5 }[alternative];
  const z = (statistic - centre - (continuity ? shift : 0)) / deviation;
  const p = {
    'two-sided': 2 * normalTail(Math.abs(z)),
    greater: normalTail(z),
    less: normalTail(-z),
  }[alternative];
  return { p: Math.min(1, p), z };
}
