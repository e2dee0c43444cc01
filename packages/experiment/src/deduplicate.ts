import { type Label, type Reject, type SplitName, UniqueIds } from '@redef/core';
import { type RemovalPolicy, removeDuplicates } from '@redef/dedup';

/** A labelled change in its split. A type, not an interface: rows of `@redef/dedup` are plain records. */
export type PairRow = {
  id: string;
  /** Digest of the two function texts. */
  pair: string;
  label: Label['label'];
  split: SplitName;
};

export interface DeduplicatedSplit {
  /** In the order that came in. */
  kept: PairRow[];
  rejects: Reject[];
}

/**
 * Removes from a split what would mislead training or evaluation, in this order: every change whose (before, after) pair
 * stands under both labels; then duplicates within each set, the first stays; then duplicates across sets by the policy
 * (R+R, sections 3.1.1 and 3.1.2; the paper's own data has no clean class, so contradictory labels are our step).
 *
 * @throws `RedefError` `duplicate-id` where two rows have one: each would be taken for the other's duplicate
 */
export async function deduplicateSplit(rows: readonly PairRow[], policy: RemovalPolicy): Promise<DeduplicatedSplit> {
  const ids = new UniqueIds((place) => `row ${place}`);
  for (const [index, { id }] of rows.entries()) ids.add(id, index + 1);
  const rejects: Reject[] = [];
  const reject = (id: string, reason: string, twin: string): void => {
    rejects.push({ schema: 'redef.reject/1', id, stage: 'dedup', reason, detail: `twin ${twin}` });
  };

  const firstOf = new Map<string, Partial<Record<Label['label'], string>>>();
  for (const { id, pair, label } of rows) {
    const seen = firstOf.get(pair) ?? {};
    seen[label] ??= id;
    firstOf.set(pair, seen);
  }
  const consistent = rows.filter(({ id, pair, label }) => {
    const twin = firstOf.get(pair)![label === 'clean' ? 'defective' : 'clean'];
    if (twin !== undefined) reject(id, 'contradictory-label', twin);
    return twin === undefined;
  });

  const sets = bySplit(consistent);
  const removed = new Set<string>();
  for await (const { value, removed: cut } of removeDuplicates(sets, { policy, key: ['pair'] })) {
    if (!cut) continue;
    removed.add(value.id);
    reject(value.id, cut.reason, sets[cut.twin.set as SplitName][cut.twin.row]!.id);
  }
  return { kept: consistent.filter(({ id }) => !removed.has(id)), rejects };
}

function bySplit<Row extends { split: SplitName }>(rows: readonly Row[]): Record<SplitName, Row[]> {
  const of = (name: SplitName): Row[] => rows.filter(({ split }) => split === name);
  return { train: of('train'), validation: of('validation'), test: of('test') };
}
