import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';
import type { StudyFolder } from './study-folder.js';

/** One run: which encoding or counterfactual was shown to a model trained with which seed. */
const runKeySchema = v.object({
  model: v.string(),
  encoding: v.string(),
  counterfactual: v.exactOptional(v.string()),
  seed: v.number(),
});
export type RunKey = v.InferOutput<typeof runKeySchema>;

const planSchema = v.object({
  schema: v.literal('redef.study-plan/1'),
  projects: v.array(v.string()),
  /** In the order of the report. */
  runs: v.array(runKeySchema),
  /** Of the bootstrap. */
  seed: v.number(),
});

/** What a study consists of: which parts of its folder the report is made from. */
export type StudyPlan = v.InferOutput<typeof planSchema>;

const fileOf = (study: StudyFolder): string => join(study.root, 'study.json');

export async function writePlan(study: StudyFolder, plan: StudyPlan): Promise<void> {
  await writeFileAtomic(fileOf(study), `${JSON.stringify(plan, null, 2)}\n`);
}

/** @throws `RedefError` `file-missing` or `invalid-plan` */
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
  throw new RedefError(`${path}: ${v.getDotPath(parsed.issues[0]) ?? 'file'}: ${parsed.issues[0].message}`, {
    code: 'invalid-plan',
    remedy: 'Name the folder of a study that redef study wrote.',
  });
}
