import { join } from 'node:path';
import { Counter, digestOf, type Label, type Split } from '@redef/core';
import { writeFileAtomic, writeJsonl } from '@redef/core/files';
import { auditChanges, type DataAudit, type RemovalPolicy, type SplitChange } from '@redef/dedup';
import { deduplicateSplit, type PairRow } from '../deduplicate.js';
import { readTable, tableInputs } from '../folders.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface DedupStageInput {
  /** Folder with changes.jsonl. */
  mined: string;
  /** Those of the folder to take. Default: every project that is there. */
  projects?: readonly string[];
  /** Folder with labels.jsonl. */
  labels: string;
  /** Folder with splits.jsonl. */
  split: string;
  out: string;
  /** Which side of a cross-set duplicate goes. Default `cut-from-train` (R+R, RQ2A): the test set stays whole. */
  policy?: RemovalPolicy;
}

/**
 * Writes what {@link deduplicateSplit} leaves as `splits.jsonl`, what it removes with its twin as `rejects.jsonl`, and
 * `audit.json` of the sets as they came: duplicates, contradictory labels, one commit or one function in two sets, the
 * order in time, damaged rows. Holds ids and digests in memory, no text.
 */
export async function dedupStage(input: DedupStageInput, options: StageOptions = {}): Promise<StageResult> {
  const { mined, projects, labels, split, out, policy = 'cut-from-train' } = input;
  const changeFiles = await tableInputs('mined', mined, 'changes.jsonl', projects);
  const labelFiles = await tableInputs('labels', labels, 'labels.jsonl');
  const splitFiles = await tableInputs('split', split, 'splits.jsonl');
  return runStage(
    {
      name: 'dedup',
      folder: out,
      inputFiles: { ...changeFiles, ...labelFiles, ...splitFiles },
      config: { policy, key: ['function_before', 'function_after'], level: 'exact', contradictory_labels: 'drop' },
      run: async ({ signal }) => {
        const read = signal ? { signal } : {};
        const labelOf = new Map<string, Label['label']>();
        for await (const { id, label } of readTable('redef.label/1', Object.values(labelFiles), read)) {
          labelOf.set(id, label);
        }
        const splitOf = new Map<string, Split>();
        for await (const row of readTable('redef.split/1', Object.values(splitFiles), read)) splitOf.set(row.id, row);

        const rows: PairRow[] = [];
        const inSplit = async function* (): AsyncGenerator<SplitChange> {
          for await (const change of readTable('redef.change/1', Object.values(changeFiles), read)) {
            const split = splitOf.get(change.id)?.split;
            const label = labelOf.get(change.id);
            if (!split || !label) continue;
            const pair = digestOf([change.function_before, change.function_after]);
            rows.push({ id: change.id, pair, label, split });
            yield { ...change, split, label };
          }
        };
        const audit = await auditChanges(inSplit(), read);
        const { kept, rejects } = await deduplicateSplit(rows, policy);
        await writeJsonl(
          join(out, 'splits.jsonl'),
          kept.map(({ id }) => splitOf.get(id)),
          read,
        );
        await writeJsonl(join(out, 'rejects.jsonl'), rejects, read);
        await writeFileAtomic(join(out, 'audit.json'), `${JSON.stringify(audit, null, 2)}\n`);
        const dropped = new Counter();
        for (const { reason } of rejects) dropped.add(reason);
        const counts = new Counter();
        for (const row of kept) counts.add(`${row.split} ${row.label}`);
        return {
          outputs: ['splits.jsonl', 'rejects.jsonl', 'audit.json'],
          counts: { in: rows.length, kept: kept.length, dropped: dropped.toJSON() },
          details: { rows: counts.toJSON(), audit: leaksOf(audit) },
        };
      },
    },
    options,
  );
}

/** What the sets shared as they came: the manifest's short form of `audit.json`. */
export interface SplitLeaks {
  /** Distinct pairs of texts in two sets or more, by how they were compared. */
  cross_set_duplicates: Record<string, number>;
  /** Pairs of texts under both labels. */
  contradictions: number;
  /** Commits, and functions, with changes in two sets or more. */
  commits_shared: number;
  functions_shared: number;
  /** Changes older than one of an earlier set: over everything, and within each project and label. */
  too_early: { overall: number; within: number };
}

function leaksOf({ levels, contradictions, leaks: { commits, functions, time = [] } }: DataAudit): SplitLeaks {
  const tooEarly = (order: (typeof time)[number] | undefined): number =>
    Object.values(order?.rowsTooEarly ?? {}).reduce((sum, rows) => sum + rows, 0);
  return {
    cross_set_duplicates: Object.fromEntries(
      levels.map(({ level, crossSetDuplicates }) => [level, crossSetDuplicates]),
    ),
    contradictions,
    commits_shared: commits?.shared ?? 0,
    functions_shared: functions?.shared ?? 0,
    too_early: { overall: tooEarly(time[0]), within: tooEarly(time[1]) },
  };
}
