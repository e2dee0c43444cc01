import type { RunOptions } from '@redef/core';
import { requireObject } from './checks.js';
import type { NearDuplicateOptions, NearDuplicates } from './clones.js';
import { NearDuplicateFinder } from './near-duplicate-finder.js';
import { type DataSets, namesOf, numberedRows } from './rows.js';

/**
 * Finds rows whose code is the same but for white space, comments, names or small edits: MinHash signatures of token
 * shingles, candidates by banding, each candidate verified by its exact Jaccard index, clusters by union-find. Memory
 * grows by the tokens of each distinct text, one to two bytes a token, and 4 bytes a band.
 *
 * @throws `RedefError` `invalid-option`, `missing-column`, `invalid-sets`, `invalid-row`, `aborted`
 */
export async function findNearDuplicates(
  sets: DataSets,
  given: NearDuplicateOptions & RunOptions = {},
): Promise<NearDuplicates> {
  requireObject('options', given);
  const { signal, onEvent, ...options } = given;
  const run: RunOptions = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  const names = namesOf(sets);
  const finder = new NearDuplicateFinder(names, options);
  for (const [set, name] of names.entries()) {
    let done = 0;
    for await (const { row, value } of numberedRows(name, sets[name]!, signal)) {
      finder.add(set, row, value);
      done = row + 1;
      if (done % 10_000 === 0) onEvent?.({ type: 'progress', stage: name, done, unit: 'rows' });
    }
    onEvent?.({ type: 'progress', stage: name, done, total: done, unit: 'rows' });
  }
  return finder.result(run);
}
