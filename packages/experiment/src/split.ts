import type { CodeChange, Label, Split, SplitName } from '@redef/core';

export const timeSplitRule = 'time-per-repository-and-class/80-10-10';

/** What a split needs of a change. */
export type DatedChange = Pick<CodeChange, 'id' | 'project' | 'commit' | 'committed_at'>;

/**
 * ReDef, section 3.1: 80/10/10 by commit time within each repository and each class, so that every project and both
 * classes stand in every split at the same balance. Oldest first, by committer time, ties by commit and change id.
 * Of n rows the first floor(0.8 n) train, those up to floor(0.9 n) validate, the rest test.
 *
 * The paper's rule is not a time split over the classes together: a clean change of the training set can be newer than
 * a defective one of the test set.
 *
 * @returns one row a labelled change, in the order of `changes`
 */
export function splitByTime(changes: readonly DatedChange[], labels: ReadonlyMap<string, Label['label']>): Split[] {
  const groups = new Map<string, DatedChange[]>();
  for (const change of changes) {
    const label = labels.get(change.id);
    if (label === undefined) continue;
    const key = JSON.stringify([change.project, label]);
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }

  const splitOf = new Map<string, SplitName>();
  for (const group of groups.values()) {
    group.sort(byTime);
    const trainEnd = Math.floor((group.length * 8) / 10);
    const validationEnd = Math.floor((group.length * 9) / 10);
    group.forEach(({ id }, position) => {
      splitOf.set(id, position < trainEnd ? 'train' : position < validationEnd ? 'validation' : 'test');
    });
  }

  return changes.flatMap(({ id }) => {
    const split = splitOf.get(id);
    return split ? [{ schema: 'redef.split/1' as const, id, split, rule: timeSplitRule }] : [];
  });
}

function byTime(a: DatedChange, b: DatedChange): number {
  return Date.parse(a.committed_at) - Date.parse(b.committed_at) || compare(a.commit, b.commit) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
