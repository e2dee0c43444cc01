import { resolve } from 'node:path';
import type { Study } from '../study.js';
import { type ModelContext, studyModels } from './models.js';
import { miningOptionsOf, type StudyFile } from './schema.js';

/** The parts of a study that its file decides. Repositories and voters need a network or a key: they are the caller's. */
export type StudyDesign = Required<
  Pick<
    Study,
    | 'mining'
    | 'ballots'
    | 'rule'
    | 'split'
    | 'policy'
    | 'encodings'
    | 'contextLines'
    | 'seeds'
    | 'models'
    | 'threshold'
    | 'statistics'
  >
> &
  Pick<Study, 'counterfactuals' | 'store'>;

/** Turns a checked study file into what `runStudy` takes; loads tokenizers and, from the hub, models. */
export async function studyDesign(file: StudyFile, context: ModelContext): Promise<StudyDesign> {
  const { split, counterfactuals, store, statistics } = file;
  return {
    mining: miningOptionsOf(file),
    ballots: file.triage.ballots,
    rule: file.triage.rule,
    split:
      split.rule === 'cross-project' ? { rule: split.rule, testProjects: split.test_projects } : { rule: split.rule },
    policy: file.duplicates,
    encodings: file.encodings,
    contextLines: file.context_lines === 'all' ? Number.POSITIVE_INFINITY : file.context_lines,
    ...(counterfactuals && {
      counterfactuals: counterfactuals.map(({ name, encoding }) =>
        encoding === undefined ? name : { name, encoding },
      ),
    }),
    seeds: file.seeds,
    models: await studyModels(file, context),
    threshold: file.threshold,
    statistics: {
      significance: statistics.significance,
      resamples: statistics.resamples,
      confidence: statistics.confidence,
      equivalenceMargin: statistics.equivalence_margin,
    },
    ...(store !== undefined && { store: resolve(context.base, store) }),
  };
}
