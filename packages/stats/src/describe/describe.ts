import { RedefError } from '@redef/core';
import type { CohensKappaResult } from '../agreement/cohens-kappa.js';
import type { FleissKappaResult } from '../agreement/fleiss-kappa.js';
import type { KrippendorffResult } from '../agreement/krippendorff-alpha.js';
import type { ProportionInterval } from '../agreement/proportion-intervals.js';
import type { PostHocFamily, PostHocResult } from '../anova/post-hoc.js';
import type { RmAnova2Result } from '../anova/rm-anova.js';
import { fail } from '../checks.js';
import type { Calibration } from '../classification/calibration.js';
import type { DeLongResult } from '../classification/delong.js';
import type { EffortMetricName, EffortMetrics } from '../classification/effort.js';
import type { Metrics } from '../classification/metrics.js';
import type { EffectSize } from '../effect/effect-sizes.js';
import { magnitude } from '../effect/magnitude.js';
import type { BayesianComparisonResult } from '../paired/bayesian.js';
import type { BootstrapResult } from '../paired/bootstrap.js';
import type { EquivalenceResult } from '../paired/equivalence.js';
import type { McNemarResult } from '../paired/mcnemar.js';
import type { PairedTTestResult } from '../paired/paired-t-test.js';
import type { SignFlipResult } from '../paired/sign-flip.js';
import type { WilcoxonResult } from '../paired/wilcoxon-signed-rank.js';
import type { PowerResult } from '../planning/power.js';
import type { FriedmanResult } from '../ranking/friedman.js';
import type { NemenyiResult } from '../ranking/nemenyi.js';
import type { Alternative } from '../result.js';
import { describeRmAnova } from './describe-rm-anova.js';
import { equal, interval, joined, percent, plain, pValue, say, score, two, type Wording } from './wording.js';

export type DescribableResult =
  | Metrics
  | EffortMetrics
  | Calibration
  | DeLongResult
  | PairedTTestResult
  | WilcoxonResult
  | BootstrapResult
  | SignFlipResult
  | McNemarResult
  | EquivalenceResult
  | BayesianComparisonResult
  | RmAnova2Result
  | PostHocResult
  | FriedmanResult
  | NemenyiResult
  | EffectSize
  | CohensKappaResult
  | FleissKappaResult
  | KrippendorffResult
  | ProportionInterval
  | PowerResult;

/** The sentence that a paper would print of a result, as plain text and as LaTeX. */
export function describe(result: DescribableResult): Wording {
  try {
    return wordingOf(result);
  } catch (error) {
    if (RedefError.isInstance(error)) throw error;
    throw new RedefError('describe got something that is not a whole result of this package', {
      code: 'invalid-result',
      remedy: 'Pass a result as this package returned it; JSON may lie between, but no change.',
      cause: error,
    });
  }
}

function wordingOf(result: DescribableResult): Wording {
  switch (result.kind) {
    case 'metrics':
      return describeMetrics(result);
    case 'effort-metrics':
      return describeEffort(result);
    case 'calibration':
      return say`Brier score ${plain(score(result.brier))}, expected calibration error ${plain(score(result.expectedCalibrationError))} (${result.method}, ${n(result.n)} items).`;
    case 'delong':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} items: ROC-AUC ${score(result.areaFirst)} against ${score(result.areaSecond)}, difference ${plain(score(result.difference))}, ${interval(result.interval)}, ${equal('z', 'z', two(result.z))}, ${pValue(result.p)}.`;
    case 'paired-t-test':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} pairs: ${equal(`t(${result.df})`, `t(${result.df})`, two(result.t))}, ${pValue(result.p)}, mean difference ${plain(score(result.meanDifference))}, ${interval(result.interval)}, ${equal('d_z', 'd_z', two(result.cohensDz))} (${magnitude('cohensDz', result.cohensDz)}).`;
    case 'wilcoxon-signed-rank':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} pairs: ${equal('W+', 'W^{+}', `${result.wPlus}`)}, ${pValue(result.p)}, rank-biserial correlation ${plain(two(result.rankBiserial))} (${magnitude('rankBiserial', result.rankBiserial)}).`;
    case 'bootstrap-mean-difference':
      return say`Mean difference ${plain(score(result.meanDifference))}, ${interval(result.interval)} (${result.method}, ${result.resamples} resamples of ${result.n} pairs).`;
    case 'sign-flip-test':
      return say`${result.method} (${sided(result.alternative)}), ${n(result.n)} pairs, ${result.resamples} flips: mean difference ${plain(score(result.meanDifference))}, ${pValue(result.p)}.`;
    case 'mcnemar':
      return say`${result.method}, ${n(result.n)} items: ${result.onlyFirst} that only the first got right, ${result.onlySecond} that only the second did, ${pValue(result.p)}.`;
    case 'equivalence-test':
      return say`${result.method}, ${n(result.n)} pairs: mean difference ${plain(score(result.meanDifference))}, ${interval(result.interval)}, ${pValue(result.p)}: ${result.equivalent ? 'equivalent' : 'not shown to be equivalent'} within ${plain(range(result.margin))}.`;
    case 'bayesian-comparison':
      return say`${result.method}, ${n(result.n)} pairs: the mean difference lies below ${plain(range(result.rope))} with probability ${two(result.pBelow)}, within with ${two(result.pWithin)}, above with ${two(result.pAbove)}; posterior mean ${plain(score(result.meanDifference))}, ${percent(result.interval.level)}% credible interval ${plain(range([result.interval.low, result.interval.high]))}.`;
    case 'friedman':
      return say`${result.method}, ${n(result.n)} subjects: ${equal(`χ²(${result.df})`, `\\chi^{2}(${result.df})`, two(result.chiSquared))}, ${pValue(result.p)}, ${equal('W', 'W', two(result.kendallsW))}.`;
    case 'nemenyi':
      return say`${result.method}, ${n(result.n)} subjects: mean ranks ${joined(
        result.meanRanks.map((rank) => plain(two(rank))),
        ', ',
      )}, critical difference ${plain(two(result.criticalDifference))} at ${equal('α', '\\alpha', `${result.alpha}`)}.`;
    case 'post-hoc-pairs':
      return describePostHoc(result);
    case 'effect-size':
      return say`${result.method} ${plain(two(result.value))} (${result.magnitude}).`;
    case 'rm-anova-2':
      return describeRmAnova(result);
    case 'cohens-kappa':
      return say`${result.method} ${equal('κ', '\\kappa', two(result.kappa))}, ${interval(result.interval)}, ${n(result.n)} items, observed agreement ${percent(result.observedAgreement)}%.`;
    case 'fleiss-kappa':
      return say`${result.method} ${equal('κ', '\\kappa', two(result.kappa))}, ${n(result.n)} subjects rated ${result.raters} times each, observed agreement ${percent(result.observedAgreement)}%.`;
    case 'krippendorff-alpha':
      return say`${result.method} ${equal('α', '\\alpha', two(result.alpha))}, ${n(result.units)} units with ${result.ratings} ratings.`;
    case 'power':
      return say`${result.method} (${sided(result.alternative)}): ${n(result.n)} pairs find a mean difference of ${plain(score(result.difference))} (standard deviation ${plain(score(result.standardDeviation))}) with a chance of ${percent(result.power)}% at ${equal('α', '\\alpha', `${result.alpha}`)}.`;
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

const range = ([low, high]: readonly [number, number]): string => `[${score(low)}, ${score(high)}]`;

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

function describeEffort(result: EffortMetrics): Wording {
  const share = percent(result.share);
  const value = (name: EffortMetricName, label: string, text: string): Wording =>
    say`${label} ${text}${result.undefinedBecause[name] ? ` (${result.undefinedBecause[name]})` : ''}`;
  const values = [
    value('recallAtEffort', `Recall@${share}%Effort`, score(result.recallAtEffort)),
    value('effortAtRecall', `Effort@${share}%Recall`, score(result.effortAtRecall)),
    value('pOpt', 'P_opt', score(result.pOpt)),
    value('ifa', 'IFA', `${result.ifa}`),
    value('pciAtEffort', `PCI@${share}%LOC`, score(result.pciAtEffort)),
  ];
  return say`${joined(values, ', ')} on ${n(result.n)} changes.`;
}

function describePostHoc(result: PostHocResult): Wording {
  const comparisons = ({ comparisons }: PostHocFamily): Wording =>
    joined(
      comparisons.map(({ first, second, test, pHolm }) => {
        const t = `t(${test.df})`;
        return say`${first} against ${second}: ${equal(t, t, two(test.t))}, Holm-adjusted ${pValue(pHolm)}, ${equal('d_z', 'd_z', two(test.cohensDz))}`;
      }),
    );
  const simple = result.simpleEffects.map(
    (family) => say`At ${result.other} ${family.at ?? ''}: ${comparisons(family)}.`,
  );
  return say`${result.method}, ${n(result.n)} subjects. ${result.factor} over all levels of ${result.other}: ${comparisons(result.mainEffect)}. ${joined(simple, ' ')}`;
}
