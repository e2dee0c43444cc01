import { join } from 'node:path';
import { Counter, type Label } from '@redef/core';
import { writeJsonl } from '@redef/core/files';
import { readTable, tableInputs } from '../folders.js';
import { type DatedChange, type SplitRule, splitChanges, splitRuleName } from '../split.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface SplitStageInput {
  /** Folder with changes.jsonl. */
  mined: string;
  /** Those of the folder to take. Default: every project that is there. */
  projects?: readonly string[];
  /** Folder with labels.jsonl. */
  labels: string;
  out: string;
  /** Default: the paper's. */
  rule?: SplitRule;
}

/** Writes `splits.jsonl`: see {@link splitChanges}. Holds an id, a date and a label of every labelled change in memory. */
export async function splitStage(
  { mined, projects, labels, out, rule = { rule: 'per-class' } }: SplitStageInput,
  options: StageOptions = {},
): Promise<StageResult> {
  const changeFiles = await tableInputs('mined', mined, 'changes.jsonl', projects);
  const labelFiles = await tableInputs('labels', labels, 'labels.jsonl');
  return runStage(
    {
      name: 'split',
      folder: out,
      inputFiles: { ...changeFiles, ...labelFiles },
      config: { rule: splitRuleName(rule) },
      run: async ({ signal }) => {
        const read = signal ? { signal } : {};
        const labelOf = new Map<string, Label['label']>();
        for await (const { id, label } of readTable('redef.label/1', Object.values(labelFiles), read))
          labelOf.set(id, label);
        const changes: DatedChange[] = [];
        for await (const { id, project, commit, committed_at } of readTable(
          'redef.change/1',
          Object.values(changeFiles),
          read,
        )) {
          changes.push({ id, project, commit, committed_at });
        }
        const splits = splitChanges(changes, labelOf, rule);
        const counts = new Counter();
        for (const { id, split } of splits) counts.add(`${split} ${labelOf.get(id)}`);
        await writeJsonl(join(out, 'splits.jsonl'), splits, read);
        return {
          outputs: ['splits.jsonl'],
          counts: {
            in: changes.length,
            kept: splits.length,
            dropped: changes.length > splits.length ? { 'no-label': changes.length - splits.length } : {},
          },
          details: { rule: splitRuleName(rule), rows: counts.toJSON() },
        };
      },
    },
    options,
  );
}
