import { join } from 'node:path';
import { Counter } from '@redef/core';
import { refuseOverwriting, writeJsonlTables } from '@redef/core/files';
import { type MineOptions, mineCandidates, openRepository, resolveCommit } from '@redef/mining';
import { runStage, type StageOptions, type StageResult } from '../stage.js';

export interface MineStageInput {
  /** Folder of a git repository. */
  repository: string;
  project: string;
  out: string;
  /** What decides the rows. */
  mining?: Omit<MineOptions, 'project' | 'index' | 'workers'>;
  /** Keeps what was read of the repository, so that a later run reads only new commits. */
  index?: string;
  workers?: number;
}

/** Writes `changes.jsonl` and `evidence.jsonl`, one row a candidate in one order, and `rejects.jsonl`. */
export async function mineStage(input: MineStageInput, options: StageOptions = {}): Promise<StageResult> {
  const { repository, project, out, mining = {}, index, workers } = input;
  const opened = await openRepository(repository);
  await refuseOverwriting([repository], { folders: [out] });
  const head = await resolveCommit(opened, mining.range?.split('..').at(-1) || mining.branch || 'HEAD');
  return runStage(
    {
      name: 'mine',
      folder: out,
      inputFiles: {},
      inputDigests: { head },
      config: { project, ...serialisable(mining) },
      ...(mining.seed === undefined ? {} : { seed: mining.seed }),
      run: async ({ signal, onEvent }) => {
        const dropped = new Counter();
        let kept = 0;
        const paths = {
          changes: join(out, 'changes.jsonl'),
          evidence: join(out, 'evidence.jsonl'),
          rejects: join(out, 'rejects.jsonl'),
        };
        const summary = await writeJsonlTables(paths, async (write) => {
          const rows = mineCandidates(repository, {
            ...mining,
            project,
            ...(index !== undefined && { index }),
            ...(workers !== undefined && { workers }),
            ...(signal && { signal }),
            ...(onEvent && { onEvent }),
          });
          for (;;) {
            const next = await rows.next();
            if (next.done) return next.value;
            if (next.value.kind === 'candidate') {
              kept++;
              await write('changes', next.value.change);
              await write('evidence', next.value.evidence);
            } else {
              dropped.add(next.value.reject.reason);
              await write('rejects', next.value.reject);
            }
          }
        });
        return {
          outputs: ['changes.jsonl', 'evidence.jsonl', 'rejects.jsonl'],
          counts: { in: kept + dropped.total, kept, dropped: dropped.toJSON() },
          details: { ...summary.counts },
        };
      },
    },
    options,
  );
}

/** Dates and expressions as text, so that equal options have equal digests. */
function serialisable(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : value instanceof RegExp ? String(value) : value,
    ]),
  );
}
