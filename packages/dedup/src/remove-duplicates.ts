import { type RunOptions, requireOption } from '@redef/core';
import { requireObject } from './checks.js';
import { Uint32List } from './digest-table.js';
import { KeyNumbers } from './key-numbers.js';
import type { LevelOption } from './levels.js';
import { type DataSets, namesOf, numberedRows, type Row, type RowRef } from './rows.js';

/**
 * Which side gives way where a key stands in several sets: `cut-from-train` keeps it in the latest set, so that the test
 * set stays whole (R+R: RQ2A, and RQ3A with the tag stripped); `cut-from-test` keeps it in the earliest, so that the
 * training set does (RQ2B, RQ3B).
 */
export type RemovalPolicy = 'cut-from-train' | 'cut-from-test';

export interface RemoveDuplicatesOptions extends RunOptions {
  policy: RemovalPolicy;
  /** Default `exact`. */
  level?: LevelOption;
  /** Columns whose values make two rows the same; default by {@link inferLayout}. */
  key?: readonly string[];
}

export type RemovalReason = 'in-set-duplicate' | 'cross-set-duplicate';

/** What became of one row. `value` is the row that came in, unchanged: tags and markers are stripped for comparing only. */
export interface RowDecision<R extends object = Row> extends RowRef {
  value: R;
  /** Absent for a kept row. */
  removed?: {
    reason: RemovalReason;
    /** The row it repeats: for an in-set duplicate the first of its own set, else the first of the set that keeps the key. */
    twin: RowRef;
  };
}

/**
 * Removes duplicate rows, each listed with its reason and twin. The order of steps is fixed: duplicates within each set
 * first, keeping the first occurrence; then duplicates across sets by the policy. Yields every row of every set: the set
 * that keeps its rows comes first (the last one for `cut-from-train`), so that one reading is enough and memory holds a
 * digest a distinct key, never a text.
 *
 * @throws `RedefError` `invalid-option`, `invalid-sets`, `invalid-row`, `missing-column`, `unknown-level`, `aborted`
 */
export async function* removeDuplicates<R extends object>(
  sets: DataSets<R>,
  options: RemoveDuplicatesOptions,
): AsyncGenerator<RowDecision<R>, void, undefined> {
  requireObject('options', options);
  const { policy, level = 'exact', key, signal, onEvent } = options;
  const known: readonly unknown[] = ['cut-from-train', 'cut-from-test'] satisfies RemovalPolicy[];
  requireOption(
    'policy',
    policy,
    known.includes(policy),
    "'cut-from-train' (RQ2A, RQ3A) or 'cut-from-test' (RQ2B, RQ3B)",
  );
  const names = namesOf(sets);
  const inOrder = policy === 'cut-from-train' ? [...names].reverse() : names;
  const keys = new KeyNumbers(level, key);
  /** For each key, the set that keeps it and its first row there, both plus one. */
  const keeper = new Uint32List();
  const keptRow = new Uint32List();

  for (const [turn, set] of inOrder.entries()) {
    /** For each key, its first row in this set, plus one. */
    const own = new Uint32List();
    let done = 0;
    for await (const { row, value } of numberedRows(set, sets[set]!, signal)) {
      const number = keys.add(set, row, value);
      const ownFirst = own.get(number);
      const keptBy = keeper.get(number);
      done = row + 1;
      if (ownFirst > 0) {
        yield { set, row, value, removed: { reason: 'in-set-duplicate', twin: { set, row: ownFirst - 1 } } };
        continue;
      }
      own.set(number, row + 1);
      if (keptBy > 0) {
        const twin = { set: inOrder[keptBy - 1]!, row: keptRow.get(number) - 1 };
        yield { set, row, value, removed: { reason: 'cross-set-duplicate', twin } };
        continue;
      }
      keeper.set(number, turn + 1);
      keptRow.set(number, row + 1);
      yield { set, row, value };
    }
    onEvent?.({ type: 'progress', stage: set, done, total: done, unit: 'rows' });
  }
}

/** The rows that stay, by set, and the rows that go. */
export interface Deduplicated<R extends object = Row> {
  kept: Record<string, R[]>;
  removed: (RowDecision<R> & Required<Pick<RowDecision<R>, 'removed'>>)[];
}

/** {@link removeDuplicates} for rows that fit in memory; the sets of `kept` are in the given order. */
export async function collectDeduplicated<R extends object>(
  sets: DataSets<R>,
  options: RemoveDuplicatesOptions,
): Promise<Deduplicated<R>> {
  const result: Deduplicated<R> = {
    kept: Object.fromEntries(namesOf(sets).map((name) => [name, []])),
    removed: [],
  };
  for await (const decision of removeDuplicates(sets, options)) {
    if (decision.removed) result.removed.push({ ...decision, removed: decision.removed });
    else result.kept[decision.set]!.push(decision.value);
  }
  return result;
}
