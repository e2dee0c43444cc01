import { join } from 'node:path';

/** Where a study keeps what. Clones, mining indexes and votes under `cache` make a rerun quick and may be deleted; the rest are stages' folders, each with its manifest. */
export function studyFolder(root: string) {
  const run = (model: string, shown: string, seed: number): string => join(root, 'runs', model, shown, `${seed}`);
  return {
    root,
    /** `PROJECT/changes.jsonl`, `PROJECT/evidence.jsonl`, `PROJECT/rejects.jsonl`. */
    mined: join(root, 'mined'),
    minedProject: (project: string) => join(root, 'mined', project),
    index: (project: string) => join(root, 'cache', 'index', project),
    clone: (project: string) => join(root, 'cache', 'clones', `${project}.git`),
    votes: join(root, 'cache', 'votes.jsonl'),
    triaged: join(root, 'triaged'),
    split: join(root, 'split'),
    deduped: join(root, 'deduped'),
    /** By encoding or counterfactual. */
    encoded: (shown: string) => join(root, 'encoded', shown),
    model: (model: string, encoding: string, seed: number) => join(run(model, encoding, seed), 'model'),
    predictions: (model: string, shown: string, seed: number) => join(run(model, shown, seed), 'predictions'),
    report: join(root, 'report'),
  };
}

export type StudyFolder = ReturnType<typeof studyFolder>;
