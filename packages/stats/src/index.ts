export {
  type Category,
  type CohensKappaOptions,
  type CohensKappaResult,
  cohensKappa,
} from './agreement/cohens-kappa.js';
export { type FleissKappaResult, fleissKappa } from './agreement/fleiss-kappa.js';
export { clopperPearsonInterval, type ProportionInterval, wilsonInterval } from './agreement/proportion-intervals.js';
export type { Factor, TwoWayValues } from './anova/design.js';
export {
  effectSizesOfF,
  type MarginalMean,
  type RmAnova2Result,
  type RmAnovaEffect,
  rmAnova2,
} from './anova/rm-anova.js';
export type { Sphericity } from './anova/sphericity.js';
export type { Numbers } from './checks.js';
export { type PrAucMethod, prAuc, rocAuc } from './classification/areas.js';
export { type BestThreshold, bestThreshold, type ThresholdMetric } from './classification/best-threshold.js';
export { type Confusion, type RateName, type Rates, rates } from './classification/confusion.js';
export { type MetricName, type Metrics, type MetricsOptions, metrics } from './classification/metrics.js';
export type { Labels } from './classification/score-sweep.js';
export { type DescribableResult, describe } from './describe/describe.js';
export type { Wording } from './describe/wording.js';
export { type EffectMeasure, effectThresholds, type Magnitude, magnitude } from './effect-words.js';
export { mean, standardDeviation } from './moments.js';
export { benjaminiHochberg, holm } from './paired/adjusted-p-values.js';
export { type BootstrapOptions, type BootstrapResult, bootstrapMeanDifference } from './paired/bootstrap.js';
export { type PairedTTestOptions, type PairedTTestResult, pairedTTest } from './paired/paired-t-test.js';
export { type WilcoxonOptions, type WilcoxonResult, wilcoxonSignedRank } from './paired/wilcoxon-signed-rank.js';
export type { Alternative, Interval, ResultHeader } from './result.js';
