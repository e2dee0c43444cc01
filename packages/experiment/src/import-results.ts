import { RedefError } from '@redef/core';
import type { Row } from '@redef/datasets';
import type { CellResult } from './evaluate.js';
import { type StudyResults, tabulate } from './results.js';
import { paperSeeds } from './seeds.js';
import { type TableMetricName, tableMetricNames } from './trivial.js';

/** Column and metric names as people write them: `PR-AUC`, `pr_auc`, `prAuc`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const metricOf = new Map<string, TableMetricName>([
  ...tableMetricNames.map((name): [string, TableMetricName] => [plain(name), name]),
  ['f1score', 'f1'],
  ['auprc', 'prAuc'],
  ['averageprecision', 'prAuc'],
]);

/**
 * Results that others published per seed, as the results of a study: the same tables, tests and report, without training.
 * Rows are long (`model, encoding, seed, metric, value`) or wide (a column a metric); `counterfactual`, `n` and
 * `positives` may stand beside, and any other column. F1 is needed, since the tests are on it. A table is of one test
 * set: rows that tell its size tell the same.
 *
 * @param onIgnored told of each long row whose metric no table shows; `''` where the row names none
 * @throws `RedefError` `invalid-results` names the row, counted from 1, or what the whole table lacks
 */
export async function importResults(
  rows: AsyncIterable<Row> | Iterable<Row>,
  { onIgnored }: { onIgnored?: (metric: string) => void } = {},
): Promise<StudyResults> {
  const cells = new Map<string, Partial<CellResult>>();
  const firstRow = new Map<Partial<CellResult>, number>();
  const ignored = new Set<string>();
  const sizes = new Map<'n' | 'positives', { value: number; row: number }>();
  let number = 0;
  for await (const row of rows) {
    number++;
    const values = valuesOf(row, number);
    const absent = ['model', 'encoding', 'seed'].find((name) => !values.has(name));
    if (absent) throw invalid(number, `no column ${absent} among ${Object.keys(row).join(', ')}`);
    const model = required(values, 'model', number);
    const encoding = required(values, 'encoding', number);
    const seed = integer(values, 'seed', number);
    if (seed === undefined) throw invalid(number, 'seed: expected a number, found nothing');
    const metric = text(values.get('metric'));
    if (isLong(values) && !metricOf.has(plain(metric))) {
      onIgnored?.(metric);
      ignored.add(metric.slice(0, 40));
      continue;
    }
    const counterfactual = text(values.get('counterfactual'));
    const key = JSON.stringify([model, encoding, counterfactual, seed]);
    const cell = cells.get(key) ?? {
      model,
      encoding,
      ...(counterfactual !== '' && { counterfactual }),
      seed,
      undefinedBecause: {},
    };
    if (!cells.has(key)) firstRow.set(cell, number);
    cells.set(key, cell);
    for (const size of ['n', 'positives'] as const) {
      const value = integer(values, size, number);
      if (value === undefined) continue;
      const told = sizes.get(size) ?? { value, row: number };
      sizes.set(size, told);
      if (told.value !== value)
        throw invalid(number, `${size}: ${value}, and ${told.value} in row ${told.row}: a table is of one test set`);
      cell[size] = value;
    }
    const { n = Number.POSITIVE_INFINITY, positives = 0 } = cell;
    if (positives > n) throw invalid(number, `positives: ${positives} of ${n} changes cannot be defective`);
    for (const [name, value] of metricsOf(values, number)) {
      if (cell[name] !== undefined) throw invalid(number, `a second ${name} for ${model}, ${encoding}, seed ${seed}`);
      cell[name] = value;
    }
  }
  if (number === 0) throw unusable('the table has no rows');
  if (cells.size === 0) {
    const found = [...ignored].filter((metric) => metric !== '');
    const names = found.length === 0 ? 'none' : found.slice(0, 5).join(', ') + (found.length > 5 ? ', ...' : '');
    throw unusable(`no row has a metric that is known; found ${names}, known are ${[...metricOf.keys()].join(', ')}`);
  }
  const whole = [...cells.values()].map((cell): CellResult => {
    if (cell.f1 === undefined)
      throw invalid(firstRow.get(cell)!, `no F1 for ${cell.model}, ${cell.encoding}, seed ${cell.seed}`);
    const missing = tableMetricNames.filter((name) => cell[name] === undefined).map((name) => [name, null]);
    return { ...cell, ...Object.fromEntries(missing) } as CellResult;
  });
  return { data: null, ...tabulate(whole, paperSeeds[0]!), missing: [], curves: [] };
}

/** Columns that are read here. */
const known = new Set([
  'model',
  'encoding',
  'seed',
  'counterfactual',
  'n',
  'positives',
  'metric',
  'value',
  ...metricOf.keys(),
]);

/** A row by the plain names of its columns. */
function valuesOf(row: Row, number: number): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(row)) {
    const key = plain(name);
    const other = names.get(key);
    if (other !== undefined && known.has(key)) throw invalid(number, `the columns ${other} and ${name} are one`);
    names.set(key, name);
    values.set(key, value);
  }
  return values;
}

const isLong = (values: ReadonlyMap<string, unknown>): boolean => values.get('metric') !== undefined;

/** The metrics of one row: that of a long row, or those of a wide one. */
function metricsOf(values: ReadonlyMap<string, unknown>, number: number): [TableMetricName, number][] {
  if (isLong(values)) {
    const name = metricOf.get(plain(text(values.get('metric'))))!;
    const value = numeric(values, 'value', number);
    if (value === undefined) throw invalid(number, 'value: expected a number, found nothing');
    return [[name, share(value, name, number)]];
  }
  return [...metricOf].flatMap(([column, name]) => {
    const value = numeric(values, column, number);
    return value === undefined ? [] : [[name, share(value, name, number)]];
  });
}

function integer(values: ReadonlyMap<string, unknown>, name: string, number: number): number | undefined {
  const value = numeric(values, name, number);
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw invalid(number, `${name}: expected a whole number of at least 0, found ${value}`);
}

function share(value: number, name: string, number: number): number {
  if (value < 0 || value > 1)
    throw invalid(number, `${name}: expected a value from 0 to 1, found ${value} (a percentage?)`);
  return value;
}

function required(values: ReadonlyMap<string, unknown>, name: string, number: number): string {
  const value = text(values.get(name));
  if (value === '') throw invalid(number, `${name}: expected a name, found nothing`);
  return value;
}

function numeric(values: ReadonlyMap<string, unknown>, name: string, number: number): number | undefined {
  const value = text(values.get(name));
  if (value === '') return undefined;
  const parsed = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN; // no 0x1
  if (!Number.isFinite(parsed))
    throw invalid(number, `${name}: expected a number, found ${JSON.stringify(value.slice(0, 40))}`);
  return parsed;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value).trim();
}

function invalid(number: number, problem: string): RedefError {
  return unusable(`row ${number}: ${problem}`);
}

function unusable(problem: string): RedefError {
  return new RedefError(problem, {
    code: 'invalid-results',
    remedy: 'Give columns model, encoding, seed, metric and value, or a column for each metric (f1, pr_auc, ...).',
  });
}
