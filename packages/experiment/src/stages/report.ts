import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import { composeReport } from '../report/compose.js';
import { renderHtml } from '../report/html.js';
import { renderLatex } from '../report/latex.js';
import { renderMarkdown } from '../report/markdown.js';
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
        const document = composeReport(results);
        const figures = document.blocks.flatMap((block) => (block.kind === 'figure' ? [block.figure] : []));
        for (const { name, svg } of figures)
          await writeFileAtomic(join(study.report, 'figures', `${name}.svg`), `${svg}\n`);
        await writeFileAtomic(join(study.report, 'tables.tex'), renderLatex(document));
        await writeFileAtomic(join(study.report, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
        await writeFileAtomic(join(study.report, 'report.md'), renderMarkdown(document));
        await writeFileAtomic(join(study.report, 'report.html'), renderHtml(document));
        return {
          outputs: [
            'report.html',
            'report.md',
            'results.json',
            'tables.tex',
            ...figures.map(({ name }) => `figures/${name}.svg`),
          ],
          counts: { in: runs.length, kept: results.cells.length, dropped: {} },
        };
      },
    },
    options,
  );
  return { ...stage, results };
}
