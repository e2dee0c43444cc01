import { join } from 'node:path';
import { digestOf } from '@redef/core';
import { reportFiles, writeFiles } from '../report/write-report.js';
import { collectResults, type StudyResults } from '../results.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';
import type { StudyFolder } from '../study-folder.js';
import { relativePath, type StudyPlan } from '../study-plan.js';

/** Writes `report.html`, `report.md`, `tables.tex`, `figures/*.svg` and `results.json` from the cells that are done. */
export async function reportStage(
  study: StudyFolder,
  plan: StudyPlan,
  options: StageOptions = {},
): Promise<StageResult & { results: StudyResults }> {
  const { signal } = options;
  const results = await collectResults(study, plan, signal ? { signal } : {});
  const { missing, cells, data } = results;
  const folds = plan.folds.length > 0 ? plan.folds.map(study.fold) : [study.fold()];
  const folders = [
    study.triaged,
    ...folds.flatMap(({ split, deduped }) => [split, deduped]),
    ...plan.projects.map(study.minedProject),
    ...(data?.encodings ?? []).map(({ folder }) => join(study.root, folder)),
    ...cells.flatMap(({ folder }) => (folder === undefined ? [] : join(study.root, folder))),
  ];
  const manifests = folders.map((folder) => join(folder, 'manifest.json'));
  const { cells: planned, ...rest } = plan;
  const files = await reportFiles(results);
  const stage = await runStage(
    {
      name: 'report',
      folder: study.report,
      // Composed each time: a report that another code would write otherwise is not up to date.
      inputDigests: { files: digestOf(files), ...(data?.audit && { audit: digestOf(data.audit) }) },
      inputFiles: Object.fromEntries(manifests.map((path) => [relativePath(study.root, path), path])),
      config: { ...rest, cells: planned.map(({ key, model }) => ({ key, model })), missing },
      seed: plan.seed,
      run: async () => ({
        outputs: await writeFiles(study.report, files),
        counts: {
          in: planned.length,
          kept: cells.length,
          dropped: missing.length > 0 ? { missing: missing.length } : {},
        },
      }),
    },
    options,
  );
  return { ...stage, results };
}
