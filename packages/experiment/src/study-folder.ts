import { join } from 'node:path';

/** Where one way of splitting keeps what follows from it. */
export interface FoldFolder {
  split: string;
  deduped: string;
  /** By budget, then by encoding or counterfactual: see `shownName`. */
  encoded: (budget: string, shown: string) => string;
}

/** Where a study keeps what. Clones, mining indexes and votes under `cache` make a rerun quick and may be deleted; the rest are stages' folders, each with its manifest, and the cells. */
export function studyFolder(root: string) {
  const foldIn = (folder: string): FoldFolder => ({
    split: join(folder, 'split'),
    deduped: join(folder, 'deduped'),
    encoded: (budget, shown) => join(folder, 'encoded', budget, shown),
  });
  return {
    root,
    /** `PROJECT/changes.jsonl`, `PROJECT/evidence.jsonl`, `PROJECT/rejects.jsonl`. */
    mined: join(root, 'mined'),
    minedProject: (project: string) => join(root, 'mined', project),
    index: (project: string) => join(root, 'cache', 'index', project),
    clone: (project: string) => join(root, 'cache', 'clones', `${project}.git`),
    /** Models and tokenizers from the hub. */
    hub: join(root, 'cache', 'hub'),
    votes: join(root, 'cache', 'votes.jsonl'),
    triaged: join(root, 'triaged'),
    /** What people say of a sample of the labels, where `redef audit sample` drew one here. */
    audit: join(root, 'audit'),
    /** The folder itself where there is one way of splitting, `folds/PROJECT` where each project is left out in turn. */
    fold: (project?: string): FoldFolder => foldIn(project === undefined ? root : join(root, 'folds', project)),
    /** The cells, where they are not shared with other studies. */
    store: join(root, 'store'),
    report: join(root, 'report'),
  };
}

export type StudyFolder = ReturnType<typeof studyFolder>;
