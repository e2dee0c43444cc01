import type { RunOptions } from '@redef/core';
import { requireObject } from './checks.js';
import { Uint32List } from './digest-table.js';
import { KeyNumbers } from './key-numbers.js';
import { type LevelOption, levelName } from './levels.js';
import { type DataSets, namesOf, numberedRows, type RowRef } from './rows.js';

export interface CorpusOverlapOptions extends RunOptions {
  /** Default `['tag-stripped', 'marker-stripped']`: the two corpora seldom tag and mark alike. */
  level?: LevelOption;
  /** Columns compared; default by {@link inferLayout}. */
  key?: readonly string[];
}

/** How much of one set stands in the other corpus. */
export interface SetOverlap {
  rows: number;
  unique: number;
  /** Rows whose key stands in the corpus (R+R, section 6: 511 of 1,090 test rows). */
  matchingRows: number;
  /** Distinct keys that do. */
  matchingUnique: number;
  /** The first of them with their first twins. */
  examples: { row: number; twin: RowRef }[];
}

export interface CorpusOverlap {
  schema: 'redef.corpus-overlap/1';
  level: string;
  key: readonly string[];
  corpus: Record<string, { rows: number; unique: number }>;
  sets: Record<string, SetOverlap>;
}

const maxExamples = 20;

/**
 * Compares the sets that a model is fine-tuned and tested on with the corpus that it was pre-trained on: a test row that
 * stands there has been seen (R+R, section 6). Reads each set once and keeps a digest a distinct key.
 *
 * @throws `RedefError` `invalid-option`, `invalid-sets`, `invalid-row`, `missing-column`, `unknown-level`, `aborted`
 */
export async function findCorpusOverlap(
  corpus: DataSets,
  sets: DataSets,
  options: CorpusOverlapOptions = {},
): Promise<CorpusOverlap> {
  requireObject('options', options);
  const { level = ['tag-stripped', 'marker-stripped'], key, signal, onEvent } = options;
  const corpusNames = namesOf(corpus);
  const names = namesOf(sets);
  const keys = new KeyNumbers(level, key);
  /** First set and row in the corpus, both plus one; 0 for keys that came with the sets. */
  const corpusSet = new Uint32List();
  const corpusRow = new Uint32List();
  const result: CorpusOverlap = {
    schema: 'redef.corpus-overlap/1',
    level: levelName(level),
    key: key ?? [],
    corpus: {},
    sets: {},
  };

  const numbered = async function* (name: string, rows: DataSets[string]) {
    let done = 0;
    for await (const { row, value } of numberedRows(name, rows, signal)) {
      done = row + 1;
      yield { row, number: keys.add(name, row, value) };
    }
    onEvent?.({ type: 'progress', stage: name, done, total: done, unit: 'rows' });
  };

  for (const [turn, name] of corpusNames.entries()) {
    const seen = new Uint32List();
    const counts = { rows: 0, unique: 0 };
    for await (const { row, number } of numbered(name, corpus[name]!)) {
      counts.rows++;
      if (seen.get(number) === 0) counts.unique++;
      seen.set(number, 1);
      if (corpusSet.get(number) > 0) continue;
      corpusSet.set(number, turn + 1);
      corpusRow.set(number, row + 1);
    }
    result.corpus[name] = counts;
  }
  for (const name of names) {
    const seen = new Uint32List();
    const overlap: SetOverlap = { rows: 0, unique: 0, matchingRows: 0, matchingUnique: 0, examples: [] };
    for await (const { row, number } of numbered(name, sets[name]!)) {
      const repeated = seen.get(number) > 0;
      seen.set(number, 1);
      overlap.rows++;
      if (!repeated) overlap.unique++;
      const from = corpusSet.get(number);
      if (from === 0) continue;
      overlap.matchingRows++;
      if (!repeated) overlap.matchingUnique++;
      if (overlap.examples.length < maxExamples) {
        overlap.examples.push({ row, twin: { set: corpusNames[from - 1]!, row: corpusRow.get(number) - 1 } });
      }
    }
    result.sets[name] = overlap;
  }
  return { ...result, key: keys.columns };
}
