/** The seeds of R+R's six networks (tables XVIII to XXXV). */
export const paperSeeds: readonly number[] = [26312, 43511, 67732, 70757, 95541, 123456];

/** The scores of one trained model: shares of its samples, 0 to 1. */
export interface SeedMetrics {
  seed: string;
  samples: number;
  /** Samples without any prediction; they count as wrong. */
  missing: number;
  metrics: Record<string, number>;
}

/** Over the seeds; only metrics that all of them have. */
export interface SeedSummary {
  seeds: number;
  /** R+R's "Average PP" (section 3.5). */
  mean: Record<string, number>;
  /** Sample standard deviation (n - 1); empty for one seed. */
  deviation: Record<string, number>;
}

export function summariseSeeds(seeds: readonly SeedMetrics[]): SeedSummary {
  const summary: SeedSummary = { seeds: seeds.length, mean: {}, deviation: {} };
  for (const name of Object.keys(seeds[0]?.metrics ?? {})) {
    const values = seeds.map(({ metrics }) => metrics[name]);
    if (!values.every((value) => value !== undefined)) continue;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    summary.mean[name] = mean;
    if (values.length < 2) continue;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    summary.deviation[name] = Math.sqrt(squares / (values.length - 1));
  }
  return summary;
}
