import { join } from 'node:path';
import { writeReport } from '../report/write-report.js';
import { collectResults, type StudyResults } from '../results.js';
import { runStage, type StageOptions, type StageResult } from '../stage.js';
import type { StudyFolder } from '../study-folder.js';
import type { StudyPlan } from '../study-plan.js';

/** Writes `report.html`, `report.md`, `tables.tex`, `figures/*.svg` and `results.json`. */
export async function reportStage(
  study: StudyFolder,
  plan: StudyPlan,
  options: StageOptions = {},
): Promise<StageResult & { results: StudyResults }> {
  const { signal } = options;
  const { projects, runs, seed } = plan;
  const results = await collectResults(study, plan, signal ? { signal } : {});
  const folders = [study.triaged, study.split, study.deduped, ...projects.map(study.minedProject)];
  const stage = await runStage(
    {
      name: 'report',
      folder: study.report,
      inputFiles: Object.fromEntries(
        [
          ...folders,
          ...runs.map((run) => study.predictions(run.model, run.counterfactual ?? run.encoding, run.seed)),
        ].map((folder) => [
          `${folder.slice(study.root.length + 1).replaceAll('\\', '/')}/manifest.json`,
          join(folder, 'manifest.json'),
        ]),
      ),
      config: { plan },
      seed,
      run: async () => {
        return {
          outputs: await writeReport(study.report, results),
          counts: { in: runs.length, kept: results.cells.length, dropped: {} },
        };
      },
    },
    options,
  );
  return { ...stage, results };
}
