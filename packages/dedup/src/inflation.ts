import { createRng, parseRecord, RedefError, requireOption } from '@redef/core';
import type { DataAudit } from './auditor.js';
import { requireColumn, requireCount, requireObject } from './checks.js';
import { addOutcome, emptyConfusion, type F1Inflation, f1Inflation } from './f1.js';
import { difference, type Interval, type Proportion, proportion } from './intervals.js';
import { type LevelOption, levelName } from './levels.js';
import { numberedRows, type Row } from './rows.js';

export interface EstimateInflationOptions {
  /** At which level of the audit a row counts as leaked, `near` for clusters of near duplicates. Default `exact`. */
  level?: LevelOption | 'near';
  /** The column that says 0 or 1; default the first of `correctly_predicted`, `correct`, `perfect_prediction`, `exact_match`. */
  column?: string;
  /** How the estimate names the predictions; default the model of their records, else `predictions`. */
  source?: string;
  /** Bootstrap draws for the F1 of `redef.prediction/1` records. Default 2000. */
  resamples?: number;
  /** Seed of those draws. Default 0. */
  seed?: number | string;
  signal?: AbortSignal;
}

/** What a leak was worth: the score on leaked rows, on clean rows and on all, each with its 95% interval. */
export interface InflationEstimate {
  schema: 'redef.inflation/1';
  /** What the predictions are: a model's name, or that of a file. */
  source: string;
  /** The evaluated set. */
  set: string;
  level: string;
  overall: Proportion;
  leaked: Proportion;
  clean: Proportion;
  /** Score on leaked rows less score on clean rows; `null` where there are none of one kind. */
  leakedLessClean: { value: number; interval: Interval } | null;
  /**
   * Score overall less score on clean rows: how far the leak lifts the published figure. Its interval is that of
   * `leakedLessClean` times the share of leaked rows, which is taken as given.
   */
  inflation: { value: number; interval: Interval } | null;
  /** The same in F1, where the predictions say what was true: `redef.prediction/1` records do, 0/1 columns do not. */
  f1?: F1Inflation;
}

const columns = ['correctly_predicted', 'correct', 'perfect_prediction', 'exact_match'];

/**
 * Splits the score of one model by whether the audit found each evaluated row leaked.
 *
 * Predictions are either rows with a 0/1 column, one for each row of the evaluated set in its order, as raw-prediction
 * CSVs are; or `redef.prediction/1` records of one model, joined by `id`, of which those of other splits are passed over.
 *
 * @throws `RedefError` `invalid-option`, `missing-column`, `invalid-prediction`, `prediction-count` (another number of rows than the
 *   evaluated set has), `mixed-predictions` (several models, encodings or seeds), `unknown-level` (not in the audit)
 */
export async function estimateInflation(
  predictions: AsyncIterable<object> | Iterable<object>,
  audit: Pick<DataAudit, 'sets' | 'leakedRows' | 'leakedIds'>,
  options: EstimateInflationOptions = {},
): Promise<InflationEstimate> {
  requireObject('options', options);
  const { level = 'exact', source, resamples = 2000, seed = 0, signal } = options;
  let { column } = options;
  requireColumn('column', column);
  requireOption('source', source, source === undefined || typeof source === 'string', 'a name');
  requireCount('resamples', resamples);
  const rng = createRng(seed);
  requireObject('audit', audit);
  requireObject('audit.sets', audit.sets);
  requireObject('audit.leakedRows', audit.leakedRows);
  const names = Object.keys(audit.sets);
  requireOption('audit.sets', audit.sets, names.length > 0, 'an object with one set or more');
  const set = names.at(-1)!;
  const name = level === 'near' ? level : levelName(level);
  const rows = Object.hasOwn(audit.leakedRows, name) ? audit.leakedRows[name] : undefined;
  if (!rows) {
    throw new RedefError(`the audit has no level ${name}, only ${Object.keys(audit.leakedRows).join(', ')}`, {
      code: 'unknown-level',
      remedy: 'Audit with that level among the levels option.',
    });
  }
  const leakedRows = new Set(rows);
  const leakedIds = audit.leakedIds && new Set(audit.leakedIds[name]);
  const seen = new Set<string>();
  const models = new Set<string>();
  const counts = { leaked: [0, 0], clean: [0, 0] };
  const confusion = { leaked: emptyConfusion(), clean: emptyConfusion() };

  for await (const { row, value } of numberedRows('predictions', predictions, signal)) {
    let correct: boolean;
    let leaked: boolean;
    if (value.schema === 'redef.prediction/1') {
      const prediction = parseRecord('redef.prediction/1', value, `predictions, row ${row}`);
      if (prediction.split !== set) continue;
      if (!leakedIds) throw withoutIds();
      models.add(`${prediction.model}, ${prediction.encoding}, seed ${prediction.seed}`);
      if (models.size > 1) throw mixed([...models]);
      if (seen.has(prediction.id)) throw repeated(prediction.id);
      seen.add(prediction.id);
      const predicted = prediction.score >= prediction.threshold;
      const truth = prediction.truth === 1;
      correct = predicted === truth;
      leaked = leakedIds.has(prediction.id);
      addOutcome(confusion[leaked ? 'leaked' : 'clean'], truth, predicted);
    } else {
      column ??= columns.find((known) => Object.hasOwn(value, known));
      correct = readOutcome(value, column, row);
      leaked = leakedRows.has(row);
    }
    const count = counts[leaked ? 'leaked' : 'clean'];
    count[0]!++;
    if (correct) count[1]!++;
  }

  const leaked = proportion(counts.leaked[1]!, counts.leaked[0]!);
  const clean = proportion(counts.clean[1]!, counts.clean[0]!);
  const overall = proportion(leaked.correct + clean.correct, leaked.rows + clean.rows);
  const expected = audit.sets[set]!.rows;
  if (overall.rows !== expected) {
    throw new RedefError(`${set} has ${expected} rows, but there are predictions for ${overall.rows}`, {
      code: 'prediction-count',
      remedy: 'Pass the predictions for exactly the set that was audited last, in its order.',
    });
  }
  const leakedLessClean = difference(leaked, clean);
  const share = leaked.rows / overall.rows;
  const inflation = leakedLessClean && {
    value: leakedLessClean.value * share,
    interval: [leakedLessClean.interval[0] * share, leakedLessClean.interval[1] * share] as Interval,
  };
  return {
    schema: 'redef.inflation/1',
    source: source ?? [...models][0] ?? 'predictions',
    set,
    level: name,
    overall,
    leaked,
    clean,
    leakedLessClean,
    inflation,
    ...(models.size > 0 && {
      f1: f1Inflation(confusion.leaked, confusion.clean, rng.fork('inflation'), resamples),
    }),
  };
}

function readOutcome(value: Row, column: string | undefined, row: number): boolean {
  if (column === undefined || !Object.hasOwn(value, column)) {
    throw new RedefError(
      `predictions, row ${row}: no column ${column === undefined ? columns.join(', ') : JSON.stringify(column)} among ${Object.keys(value).join(', ')}`,
      { code: 'missing-column', remedy: 'Name the 0/1 column with the column option.' },
    );
  }
  const outcome = String(value[column]).trim().toLowerCase();
  if (['1', '1.0', 'true'].includes(outcome)) return true;
  if (['0', '0.0', 'false'].includes(outcome)) return false;
  throw new RedefError(
    `predictions, row ${row}: expected 0 or 1 in ${column}, got ${JSON.stringify(outcome.slice(0, 40))}`,
    {
      code: 'invalid-prediction',
      remedy: 'Name the column that holds 0 or 1 with the column option.',
    },
  );
}

function withoutIds(): RedefError {
  return new RedefError('the predictions are joined by id, but the audited rows have no id column', {
    code: 'missing-column',
    remedy: 'Audit the changes themselves, or pass predictions in the order of the audited rows.',
  });
}

function mixed(models: readonly string[]): RedefError {
  return new RedefError(`expected the predictions of one model, found ${models.join(' and ')}`, {
    code: 'mixed-predictions',
    remedy: 'Estimate each model, encoding and seed by itself.',
  });
}

function repeated(id: string): RedefError {
  return new RedefError(`two predictions for ${id}`, {
    code: 'invalid-prediction',
    remedy: 'Pass one prediction for each row of the evaluated set.',
  });
}
