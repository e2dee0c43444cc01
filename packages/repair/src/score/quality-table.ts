import { countPerfect, topTenCwes } from './cwe-tables.js';
import type { SampleScore } from './score-repairs.js';

/** What people found of a sample (R+R, section 3.6). */
export interface SampleJudgement {
  id: string;
  /** Vulnerable as its CWE says. */
  accurate: boolean;
  /** All that is needed to see the vulnerability and its repair is in it. */
  complete: boolean;
}

/** Some of the judged samples. */
export interface QualityPart {
  samples: number;
  /** By the papers' rule, mean over the seeds, 0 to 1; 0 where there are no samples. */
  perfectPrediction: number;
}

/** The judged samples of a CWE, and what is left of them by each demand on their quality. */
export interface QualityRow {
  cwe: string;
  all: QualityPart;
  accurate: QualityPart;
  complete: QualityPart;
  both: QualityPart;
}

export interface QualityTable {
  /** The ten of R+R's table XIV, in its order. */
  rows: QualityRow[];
  total: Omit<QualityRow, 'cwe'>;
  /** Samples of the ten CWEs that nobody judged: they are in no row. */
  unjudged: number;
}

/** RQ4B: the counts of R+R's table XV, and how well a model does on what is left. */
export function qualityTable(scores: readonly SampleScore[], judgements: readonly SampleJudgement[]): QualityTable {
  const byId = new Map(judgements.map((judgement) => [judgement.id, judgement]));
  const seeds = [...new Set(scores.map(({ seed }) => seed))];
  const ofTheTen = scores.filter(({ cwe }) => cwe !== undefined && topTenCwes.includes(cwe));
  const judged = ofTheTen.filter(({ id }) => byId.has(id));
  const partsOf = (own: readonly SampleScore[]): Omit<QualityRow, 'cwe'> => {
    const part = (isIn: (judgement: SampleJudgement) => boolean): QualityPart => {
      const { samples, perfectPrediction } = countPerfect(
        own.filter(({ id }) => isIn(byId.get(id)!)),
        seeds,
      );
      return { samples, perfectPrediction };
    };
    return {
      all: part(() => true),
      accurate: part(({ accurate }) => accurate),
      complete: part(({ complete }) => complete),
      both: part(({ accurate, complete }) => accurate && complete),
    };
  };
  return {
    rows: topTenCwes.map((cwe) => ({ cwe, ...partsOf(judged.filter((score) => score.cwe === cwe)) })),
    total: partsOf(judged),
    unjudged: (ofTheTen.length - judged.length) / Math.max(1, seeds.length),
  };
}
