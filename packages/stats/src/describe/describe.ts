import type { CohensKappaResult } from '../agreement/cohens-kappa.js';
import type { FleissKappaResult } from '../agreement/fleiss-kappa.js';
import type { ProportionInterval } from '../agreement/proportion-intervals.js';
import type { RmAnova2Result } from '../anova/rm-anova.js';
import { fail } from '../checks.js';
import type { Metrics } from '../classification/metrics.js';
import { magnitude } from '../effect-words.js';
import type { BootstrapResult } from '../paired/bootstrap.js';
import type { PairedTTestResult } from '../paired/paired-t-test.js';
import type { WilcoxonResult } from '../paired/wilcoxon-signed-rank.js';
import type { Alternative } from '../result.js';
import { equal, interval, joined, percent, plain, pValue, say, score, two, type Wording } from './wording.js';

export type DescribableResult =
  | Metrics
  | PairedTTestResult
  | WilcoxonResult
  | BootstrapResult
  | RmAnova2Result
  | CohensKappaResult
  | FleissKappaResult
  | ProportionInterval;

/** The sentence that a paper would print of a result, as plain text and as LaTeX. */
export function describe(result: DescribableResult): Wording {
  switch (result.kind) {
    case 'metrics':
      return describeMetrics(result);
    case 'paired-t-test':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} pairs: ${equal(`t(${result.df})`, `t(${result.df})`, two(result.t))}, ${pValue(result.p)}, mean difference ${plain(score(result.meanDifference))}, ${interval(result.interval)}, ${equal('d_z', 'd_z', two(result.cohensDz))} (${magnitude('cohensDz', result.cohensDz)}).`;
    case 'wilcoxon-signed-rank':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} pairs: ${equal('W+', 'W^{+}', `${result.wPlus}`)}, ${pValue(result.p)}, rank-biserial correlation ${plain(two(result.rankBiserial))} (${magnitude('rankBiserial', result.rankBiserial)}).`;
    case 'bootstrap-mean-difference':
      return say`Mean difference ${plain(score(result.meanDifference))}, ${interval(result.interval)} (${result.method}, ${result.resamples} resamples of ${result.n} pairs).`;
    case 'rm-anova-2':
      return describeRmAnova(result);
    case 'cohens-kappa':
      return say`${result.method} ${equal('κ', '\\kappa', two(result.kappa))}, ${interval(result.interval)}, ${n(result.n)} items, observed agreement ${percent(result.observedAgreement)}%.`;
    case 'fleiss-kappa':
      return say`${result.method} ${equal('κ', '\\kappa', two(result.kappa))}, ${n(result.n)} subjects rated ${result.raters} times each, observed agreement ${percent(result.observedAgreement)}%.`;
    case 'proportion-interval':
      return say`${result.successes} of ${result.n} (${percent(result.proportion)}%), ${interval(result)} (${result.method}).`;
    default:
      return fail(
        'invalid-result',
        `describe does not know results of kind ${String((result as { kind?: unknown }).kind)}`,
        'Pass a result as this package returned it.',
      );
  }
}

const n = (count: number): Wording => equal('n', 'n', `${count}`);

const sided = (alternative: Alternative): string =>
  alternative === 'two-sided' ? 'two-sided' : `one-sided, ${alternative}`;

function describeMetrics(result: Metrics): Wording {
  const value = (
    name: 'f1' | 'prAuc' | 'accuracy' | 'precision' | 'recall' | 'mcc' | 'rocAuc',
    label: string,
  ): Wording =>
    say`${label} ${score(result[name])}${result.undefinedBecause[name] ? ` (${result.undefinedBecause[name]})` : ''}`;
  const values = [
    value('f1', 'F1'),
    value('prAuc', 'PR-AUC'),
    value('accuracy', 'accuracy'),
    value('precision', 'precision'),
    value('recall', 'recall'),
    value('mcc', 'MCC'),
    value('rocAuc', 'ROC-AUC'),
  ];
  return say`${joined(values, ', ')} on ${n(result.n)} items, positive at a score of ${result.threshold} or more.`;
}

function describeRmAnova(result: RmAnova2Result): Wording {
  const effects = result.effects.map((effect) => {
    const df = `F(${effect.dfNumerator},${effect.dfDenominator})`;
    return say`${effect.name}: ${equal(df, df, two(effect.f))}, ${pValue(effect.p)}, ${equal('η²p', '\\eta^{2}_{p}', two(effect.partialEtaSquared))}, ${equal('f', 'f', two(effect.cohensF))} (${magnitude('partialEtaSquared', effect.partialEtaSquared)})`;
  });
  return say`${result.method}, ${n(result.n)} subjects. ${joined(effects)}.`;
}
