import type { Prediction } from '@redef/core';
import { mean, metrics, standardDeviation } from '@redef/stats';
import { type TableMetricName, type TableMetrics, tableMetricNames } from './trivial.js';

/** One run on the test set: a model trained with one seed, shown the changes one way. */
export type CellResult = TableMetrics & {
  model: string;
  encoding: string;
  counterfactual?: string;
  seed: number;
  /** The project left out, where each was in turn. */
  fold?: string;
  /** Test examples, and how many of them are defective; absent where imported results do not tell. */
  n?: number;
  positives?: number;
  /** Metrics that the predictions leave undefined, with the reason; their values above are then the stated ones. */
  undefinedBecause: Record<string, string>;
};

/** The mean over the seeds of one condition and the sample standard deviation (divisor n - 1; 0 for one seed). */
export interface Condition {
  model: string;
  encoding: string;
  counterfactual?: string;
  seeds: number[];
  mean: TableMetrics;
  standardDeviation: TableMetrics;
}

/** Scores one run's predictions on the test set (ReDef, section 4.3). */
export function evaluateCell(predictions: readonly Prediction[]): CellResult {
  const test = predictions.filter(({ split }) => split === 'test');
  const first = test[0]!;
  const truth = test.map((row) => row.truth);
  const scored = metrics(
    truth,
    test.map(({ score }) => score),
    { threshold: first.threshold },
  );
  return {
    model: first.model,
    encoding: first.encoding,
    ...(first.counterfactual !== undefined && { counterfactual: first.counterfactual }),
    seed: first.seed,
    n: test.length,
    positives: truth.filter((label) => label === 1).length,
    ...pick((name) => scored[name]),
    undefinedBecause: scored.undefinedBecause,
  };
}

/**
 * One result for each model, way of showing and seed: where projects were left out in turn, the mean of each metric over
 * them, so that every project weighs the same. A seed that lacks a fold is left out, since its mean would be of other projects.
 *
 * @param folds the projects that were to be left out in turn, whether or not a cell has a result; none for one way of splitting
 */
export function averageFolds(cells: readonly CellResult[], folds: readonly string[]): CellResult[] {
  if (folds.length === 0) return [...cells];
  return groups(cells, ({ model, encoding, counterfactual, seed }) => [model, encoding, counterfactual, seed])
    .filter((group) => group.length === folds.length)
    .map((group) => {
      const { fold: _, n: _n, positives: _p, ...first } = group[0]!;
      const total = (size: 'n' | 'positives'): number => group.reduce((sum, cell) => sum + (cell[size] ?? 0), 0);
      return {
        ...first,
        n: total('n'),
        positives: total('positives'),
        ...pick((name) => overSeeds(group, name, mean)),
        undefinedBecause: Object.assign({}, ...group.map(({ undefinedBecause }) => undefinedBecause)),
      };
    });
}

/** Groups cells by model, encoding and counterfactual, in the order in which each first appears. */
export function summarise(cells: readonly CellResult[]): Condition[] {
  return groups(cells, ({ model, encoding, counterfactual }) => [model, encoding, counterfactual]).map((group) => {
    const { model, encoding, counterfactual } = group[0]!;
    return {
      model,
      encoding,
      ...(counterfactual !== undefined && { counterfactual }),
      seeds: group.map(({ seed }) => seed),
      mean: pick((name) => overSeeds(group, name, mean)),
      standardDeviation: pick((name) =>
        overSeeds(group, name, (values) => (values.length < 2 ? 0 : standardDeviation(values))),
      ),
    };
  });
}

/** `null` where a seed does not tell the metric. */
function overSeeds(
  group: readonly CellResult[],
  name: TableMetricName,
  figure: (values: number[]) => number,
): number | null {
  const values = group.flatMap((cell) => cell[name] ?? []);
  return values.length < group.length ? null : figure(values);
}

function groups(cells: readonly CellResult[], keyOf: (cell: CellResult) => unknown[]): CellResult[][] {
  const found = new Map<string, CellResult[]>();
  for (const cell of cells) {
    const key = JSON.stringify(keyOf(cell));
    found.set(key, [...(found.get(key) ?? []), cell]);
  }
  return [...found.values()];
}

function pick(value: (name: TableMetricName) => number | null): TableMetrics {
  return Object.fromEntries(tableMetricNames.map((name) => [name, value(name)])) as TableMetrics;
}
