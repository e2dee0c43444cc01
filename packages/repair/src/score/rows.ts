import { RedefError } from '@redef/core';
import type { SampleJudgement } from './quality-table.js';
import type { RepairPredictions, RepairTruth } from './score-repairs.js';

/** A row of a table and how errors name its place. */
export interface ScoreRow {
  row: Readonly<Record<string, unknown>>;
  /** `predictions.jsonl:17` */
  place: string;
}

/**
 * Samples from rows with `source` and `target` in the layout of the VulRepair files. The id is the column `id`, else the
 * unnamed column that pandas writes, else the row's number from 0.
 *
 * @throws `RedefError` `missing-column`
 */
export async function* readTruths(rows: AsyncIterable<ScoreRow>): AsyncGenerator<RepairTruth, void, undefined> {
  let number = 0;
  for await (const { row, place } of rows) {
    yield {
      id: idOf(row) ?? String(number),
      source: textOf(row, 'source', place),
      target: textOf(row, 'target', place),
    };
    number++;
  }
}

/**
 * Predictions from rows of either form: `id`, `predictions` (a list, best first; as JSON in a CSV cell), or `id`,
 * `prediction` and maybe `rank` (one row each, by rank from the lowest, else in the order of the file). Both may have a
 * `seed`.
 *
 * @throws `RedefError` `missing-column`, or `invalid-predictions` with the row's place
 */
export async function readPredictions(rows: AsyncIterable<ScoreRow>): Promise<RepairPredictions[]> {
  const found: RepairPredictions[] = [];
  const ranked = new Map<string, { id: string; seed?: string; entries: { rank: number; prediction: string }[] }>();
  for await (const { row, place } of rows) {
    const id = idOf(row);
    if (id === undefined) throw missing('id', place);
    const seed = row.seed === undefined || row.seed === null ? {} : { seed: String(row.seed) };
    if (row.predictions !== undefined) {
      found.push({ id, ...seed, predictions: listOf(row.predictions, place) });
      continue;
    }
    const key = JSON.stringify([id, seed.seed]);
    const group = ranked.get(key) ?? { id, ...seed, entries: [] };
    ranked.set(key, group);
    const prediction = textOf(row, 'prediction', place);
    group.entries.push({ rank: rankOf(row.rank, group.entries.length, place), prediction });
  }
  for (const { entries, ...identity } of ranked.values()) {
    entries.sort((a, b) => a.rank - b.rank);
    found.push({ ...identity, predictions: entries.map(({ prediction }) => prediction) });
  }
  return found;
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'true', '1'].map((text) => [text, true] as const),
  ...['no', 'false', '0'].map((text) => [text, false] as const),
]);

/**
 * What people found of samples, from rows with `id`, `accurate` and `complete`: yes or no, true or false, 1 or 0.
 *
 * @throws `RedefError` `missing-column`, or `invalid-judgement` with the row's place
 */
export async function readJudgements(rows: AsyncIterable<ScoreRow>): Promise<SampleJudgement[]> {
  const found: SampleJudgement[] = [];
  for await (const { row, place } of rows) {
    const id = idOf(row);
    if (id === undefined) throw missing('id', place);
    const answerTo = (column: 'accurate' | 'complete'): boolean => {
      if (row[column] === undefined) throw missing(column, place);
      const answer = answers.get(String(row[column]).trim().toLowerCase());
      if (answer !== undefined) return answer;
      throw new RedefError(`${place}: ${column} is neither yes nor no`, {
        code: 'invalid-judgement',
        remedy: 'Leave out the samples that nobody judged.',
      });
    };
    found.push({ id, accurate: answerTo('accurate'), complete: answerTo('complete') });
  }
  return found;
}

function idOf(row: ScoreRow['row']): string | undefined {
  const id = row.id ?? row[''];
  return id === undefined || id === null ? undefined : String(id);
}

/** An empty CSV cell is an empty text here. */
function textOf(row: ScoreRow['row'], column: string, place: string): string {
  const value = row[column];
  if (value === undefined) throw missing(column, place);
  if (value === null) return '';
  if (typeof value !== 'string') throw invalid(`${place}: ${column} is not text`);
  return value;
}

function listOf(value: unknown, place: string): string[] {
  let list = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value);
    } catch {
      throw invalid(`${place}: predictions is neither a list nor the JSON of one`);
    }
  }
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string')) return list;
  throw invalid(`${place}: predictions is not a list of texts`);
}

function rankOf(value: unknown, position: number, place: string): number {
  if (value === undefined || value === null) return position;
  const rank = Number(value);
  if (!Number.isFinite(rank)) throw invalid(`${place}: rank is not a number`);
  return rank;
}

function missing(column: string, place: string): RedefError {
  return new RedefError(`${place}: no column ${column}`, {
    code: 'missing-column',
    remedy:
      'A truth has id, source and target; predictions have id and predictions, or id, rank and prediction; judgements have id, accurate and complete.',
  });
}

function invalid(message: string): RedefError {
  return new RedefError(message, {
    code: 'invalid-predictions',
    remedy: 'Give each sample a list of predicted targets, best first.',
  });
}
