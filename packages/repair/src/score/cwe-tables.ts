import type { SampleScore } from './score-repairs.js';

/** The ten CWEs of R+R's table XIV, in its order (the most dangerous ones of 2021's list, as the first VulRepair paper took them). */
export const topTenCwes: readonly string[] = [787, 79, 125, 20, 78, 89, 416, 22, 352, 434].map((id) => `CWE-${id}`);

/** One CWE over all seeds. */
export interface CweRow {
  /** `none` for sources without a tag. */
  cwe: string;
  /** Of one seed; R+R's "Total Samples". */
  samples: number;
  /** Perfect predictions by the papers' rule for each seed, in the order of the report's seeds. */
  correct: number[];
  /** Mean over the seeds of correct / samples, and the same by the strict rule; 0 to 1. */
  perfectPrediction: number;
  perfectPredictionStrict: number;
}

export interface TopTenTable {
  /** All ten, in {@link topTenCwes}' order. */
  rows: (CweRow & { rank: number })[];
  /** All their samples as one: large CWEs weigh more. */
  total: Omit<CweRow, 'cwe'>;
}

/** Every CWE, most samples first, then by name. */
export function cweTable(scores: readonly SampleScore[]): CweRow[] {
  const byCwe = new Map<string, SampleScore[]>();
  for (const score of scores) {
    const cwe = score.cwe ?? 'none';
    const known = byCwe.get(cwe);
    if (known) known.push(score);
    else byCwe.set(cwe, [score]);
  }
  const seeds = [...new Set(scores.map(({ seed }) => seed))];
  return [...byCwe]
    .map(([cwe, ofCwe]) => ({ cwe, ...countPerfect(ofCwe, seeds) }))
    .sort((a, b) => b.samples - a.samples || (a.cwe < b.cwe ? -1 : 1));
}

export function topTenTable(scores: readonly SampleScore[]): TopTenTable {
  const seeds = [...new Set(scores.map(({ seed }) => seed))];
  const rows = topTenCwes.map((cwe, index) => ({
    rank: index + 1,
    cwe,
    ...countPerfect(
      scores.filter((score) => score.cwe === cwe),
      seeds,
    ),
  }));
  const total = countPerfect(
    scores.filter(({ cwe }) => cwe !== undefined && topTenCwes.includes(cwe)),
    seeds,
  );
  return { rows, total };
}

/** Counts of the scores as one, whatever their CWEs. */
export function countPerfect(scores: readonly SampleScore[], seeds: readonly string[]): Omit<CweRow, 'cwe'> {
  const samples = seeds.length === 0 ? 0 : scores.length / seeds.length;
  const correct = seeds.map((seed) => {
    return scores.filter((score) => score.seed === seed && score.paperRank !== undefined).length;
  });
  const strict = scores.filter(({ strictRank }) => strictRank !== undefined).length;
  const paper = correct.reduce((sum, count) => sum + count, 0);
  const share = (count: number): number => (scores.length === 0 ? 0 : count / scores.length);
  return { samples, correct, perfectPrediction: share(paper), perfectPredictionStrict: share(strict) };
}
