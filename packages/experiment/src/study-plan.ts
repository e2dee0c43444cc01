import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';
import { type Cell, cellSchema } from './cells/cell.js';
import { type RunStore, runStore } from './cells/run-store.js';
import { defaultStatistics, statisticsSettingsSchema } from './statistics-settings.js';
import type { StudyFolder } from './study-folder.js';

const planSchema = v.object({
  schema: v.literal('redef.study-plan/2'),
  projects: v.array(v.string()),
  /** The projects that are left out in turn; none where there is one way of splitting. */
  folds: v.array(v.string()),
  /** Models that the study added by itself: they are in the tables, not in the ANOVA. */
  baselines: v.optional(v.array(v.string()), []),
  /** Folder of the run store, relative to the study's. */
  store: v.string(),
  /** In the order of the report; their folders are relative to the study's. */
  cells: v.array(cellSchema),
  /** Of the bootstrap. */
  seed: v.number(),
  /** Absent in plans of before they could be set. */
  statistics: v.optional(statisticsSettingsSchema, { ...defaultStatistics }),
});

/** What a study consists of: which parts of its folder and which cells the report is made from. */
export type StudyPlan = v.InferOutput<typeof planSchema>;

const fileOf = (study: StudyFolder): string => join(study.root, 'study.json');

export async function writePlan(study: StudyFolder, plan: StudyPlan): Promise<void> {
  await writeFileAtomic(fileOf(study), `${JSON.stringify(plan, null, 2)}\n`);
}

/** @throws `RedefError` `file-missing`, `invalid-plan`, or `unknown-schema` where another version wrote it */
export async function readPlan(study: StudyFolder): Promise<StudyPlan> {
  const path = fileOf(study);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileError(error, path);
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), planSchema), text);
  if (parsed.success) return parsed.output;
  const [, other] = /"schema":\s*"(redef\.study-plan\/(?!2")\d+)"/.exec(text) ?? [];
  if (other !== undefined) {
    throw new RedefError(`${path}: a ${other}, which this version cannot read`, {
      code: 'unknown-schema',
      remedy: 'Upgrade the packages, or run redef study again in another folder.',
    });
  }
  throw new RedefError(`${path}: ${v.getDotPath(parsed.issues[0]) ?? 'file'}: ${parsed.issues[0].message}`, {
    code: 'invalid-plan',
    remedy: 'Name the folder of a study that redef study wrote.',
  });
}

export function storeOf(study: StudyFolder, plan: Pick<StudyPlan, 'store'>): RunStore {
  return runStore(resolve(study.root, plan.store));
}

/** The cells of a plan with their folders as paths that this process can read: what `runCell` and executors take. */
export function cellsOf(study: StudyFolder, plan: Pick<StudyPlan, 'cells'>): Cell[] {
  const at = (path: string): string => resolve(study.root, path);
  return plan.cells.map(({ spec: { checkpoint, ...spec }, ...cell }) => ({
    ...cell,
    spec: { ...spec, ...(checkpoint && { checkpoint: { ...checkpoint, folder: at(checkpoint.folder) } }) },
    examples: { encoded: at(cell.examples.encoded), labels: at(cell.examples.labels), split: at(cell.examples.split) },
  }));
}

/** The cells that a study's folder was planned with, in the order of the report, and the store that they lie in. */
export async function listCells(study: StudyFolder): Promise<{ cells: Cell[]; store: RunStore }> {
  const plan = await readPlan(study);
  return { cells: cellsOf(study, plan), store: storeOf(study, plan) };
}

/** A path as a plan or a report holds it. */
export function relativePath(from: string, to: string): string {
  return relative(from, to).replaceAll('\\', '/') || '.';
}
