import { join, resolve } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import { type RepairStudyResults, renderMarkdown, type Table } from '@redef/experiment';
import {
  type RepairPredictions,
  type RepairTruth,
  readPredictions,
  repairTables,
  type ScoreOptions,
  scoreRepairs,
} from '@redef/repair';
import type { CliContext } from './context.js';
import { openRows } from './repair-rows.js';

/**
 * Writes `scores.md` beside a study's report: all scores of each scenario at its most beams, for every seed and CWE. The
 * report itself has perfect prediction alone, as the paper.
 */
export async function writeRepairScores(
  cli: CliContext,
  folder: string,
  { scores }: RepairStudyResults,
  test: readonly RepairTruth[],
  options: ScoreOptions,
): Promise<void> {
  const blocks: Table[] = [];
  for (const scenario of new Set(scores.map((score) => score.scenario))) {
    const own = scores.filter((score) => score.scenario === scenario);
    const { width, seeds } = own.reduce((most, score) => (score.width > most.width ? score : most));
    const predictions: RepairPredictions[] = [];
    for (const { seed } of seeds) {
      const path = join(folder, scenario, `seed-${seed}`, `beam-${width}`, 'predictions.jsonl');
      for (const prediction of await readPredictions(openRows(cli, path))) predictions.push(prediction);
    }
    const tested = new Set(predictions.map(({ id }) => id));
    const report = scoreRepairs(
      test.filter(({ id }) => tested.has(id)),
      predictions,
      options,
    );
    for (const { caption, ...table } of repairTables(report)) {
      blocks.push({ kind: 'table', caption: `${scenario}, ${width} beams. ${caption}`, ...table });
    }
  }
  await writeFileAtomic(resolve(folder, 'scores.md'), renderMarkdown({ title: 'All scores of the study', blocks }));
}
