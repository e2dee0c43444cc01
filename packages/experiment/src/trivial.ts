import { mean } from '@redef/stats';

/** The figures of ReDef's Table 3, in its order. */
export const tableMetricNames = ['f1', 'prAuc', 'accuracy', 'precision', 'recall'] as const;
export type TableMetricName = (typeof tableMetricNames)[number];

/** Each in [0, 1]; F1 is always there, the others are `null` where imported results do not tell them. */
export type TableMetrics = { f1: number } & Record<TableMetricName, number | null>;

export interface TrivialPredictor extends TableMetrics {
  name: string;
  /** How its figures come about. */
  note: string;
}

/**
 * What no model should fall short of. Closed forms in the prevalence of defective changes in the test set; F1, precision
 * and recall are those of the expected counts. At the paper's prevalence of 23.6% calling everything defective scores
 * F1 0.38, above most rows of its Table 3. Of several test sets (projects left out in turn) the means are given.
 */
export function trivialPredictors(prevalence: number | readonly number[]): TrivialPredictor[] {
  if (typeof prevalence === 'number') return atPrevalence(prevalence);
  const all = prevalence.map(atPrevalence);
  return all[0]!.map((first, i) => ({
    ...first,
    ...Object.fromEntries(tableMetricNames.map((name) => [name, mean(all.map((predictors) => predictors[i]![name]!))])),
  }));
}

function atPrevalence(prevalence: number): TrivialPredictor[] {
  const clean = 1 - prevalence;
  return [
    {
      name: 'all defective',
      note: 'every change is called defective',
      f1: (2 * prevalence) / (1 + prevalence),
      prAuc: prevalence,
      accuracy: prevalence,
      precision: prevalence,
      recall: prevalence > 0 ? 1 : 0,
    },
    {
      name: 'random at prevalence',
      note: 'expected values of a coin that calls a change defective at the prevalence',
      f1: prevalence,
      prAuc: prevalence,
      accuracy: prevalence ** 2 + clean ** 2,
      precision: prevalence,
      recall: prevalence,
    },
    {
      name: 'always clean',
      note: 'no change is called defective; precision and F1 are undefined and counted as 0',
      f1: 0,
      prAuc: prevalence,
      accuracy: clean,
      precision: 0,
      recall: 0,
    },
  ];
}
