import * as v from 'valibot';

export const statisticsSettingsSchema = v.object({
  /** A p-value below it is called significant. */
  significance: v.number(),
  /** Of the bootstrap. */
  resamples: v.number(),
  /** Level of the bootstrap's interval. */
  confidence: v.number(),
  /** Differences of F1 below it count as none. */
  equivalenceMargin: v.number(),
});
export type StatisticsSettings = v.InferOutput<typeof statisticsSettingsSchema>;

/** Those of ReDef, section 4.4; the margin from section 5, RQ3, which calls what stays within 1% unchanged. */
export const defaultStatistics: Readonly<StatisticsSettings> = {
  significance: 0.05,
  resamples: 10_000,
  confidence: 0.95,
  equivalenceMargin: 0.01,
};
