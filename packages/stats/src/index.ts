export type { Category } from './agreement/categories.js';
export {
  type CohensKappaOptions,
  type CohensKappaResult,
  cohensKappa,
} from './agreement/cohens-kappa.js';
export { type FleissKappaResult, fleissKappa } from './agreement/fleiss-kappa.js';
export {
  type KrippendorffOptions,
  type KrippendorffResult,
  krippendorffAlpha,
  type MeasurementLevel,
} from './agreement/krippendorff-alpha.js';
export { clopperPearsonInterval, type ProportionInterval, wilsonInterval } from './agreement/proportion-intervals.js';
export type { Factor, FactorOption, TwoWayValues } from './anova/design.js';
export {
  type PostHocComparison,
  type PostHocFamily,
  type PostHocOptions,
  type PostHocResult,
  postHocPairs,
} from './anova/post-hoc.js';
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
export {
  brierScore,
  type Calibration,
  type CalibrationBin,
  type CalibrationOptions,
  calibration,
} from './classification/calibration.js';
export { type Confusion, type RateName, type Rates, rates } from './classification/confusion.js';
export { type DeLongOptions, type DeLongResult, deLongTest } from './classification/delong.js';
export {
  type EffortMetricName,
  type EffortMetrics,
  type EffortOptions,
  effortMetrics,
} from './classification/effort.js';
export { type MetricName, type Metrics, type MetricsOptions, metrics } from './classification/metrics.js';
export type { Labels } from './classification/score-sweep.js';
export { type DescribableResult, describe } from './describe/describe.js';
export type { Wording } from './describe/wording.js';
export { cliffsDelta, cohensDz, type EffectSize, matchedPairsRankBiserial } from './effect/effect-sizes.js';
export { type EffectMeasure, effectThresholds, type Magnitude, magnitude } from './effect/magnitude.js';

export { benjaminiHochberg, holm } from './paired/adjusted-p-values.js';
export {
  type BayesianComparisonOptions,
  type BayesianComparisonResult,
  bayesianComparison,
} from './paired/bayesian.js';
export { type BootstrapOptions, type BootstrapResult, bootstrapMeanDifference } from './paired/bootstrap.js';
export { type EquivalenceOptions, type EquivalenceResult, equivalenceTest, type Region } from './paired/equivalence.js';
export { type McNemarOptions, type McNemarResult, mcNemarTest } from './paired/mcnemar.js';
export { type PairedTTestOptions, type PairedTTestResult, pairedTTest } from './paired/paired-t-test.js';
export { type SignFlipOptions, type SignFlipResult, signFlipTest } from './paired/sign-flip.js';
export { type WilcoxonOptions, type WilcoxonResult, wilcoxonSignedRank } from './paired/wilcoxon-signed-rank.js';
export {
  minimumDetectableDifference,
  type PowerOptions,
  type PowerResult,
  pairedTTestPower,
  seedsNeeded,
} from './planning/power.js';
export { type FriedmanResult, friedmanTest } from './ranking/friedman.js';
export { type NemenyiComparison, type NemenyiResult, nemenyiTest } from './ranking/nemenyi.js';
export type { Alternative, Interval, ResultHeader } from './result.js';
export { mean, standardDeviation } from './summaries.js';
