import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Prediction, RedefError } from '@redef/core';
import { fileError, type Manifest, readManifest } from '@redef/core/files';
import type { TriageSummary } from '@redef/triage';
import { type Cell, type Condition, evaluateCell, summarise } from './evaluate.js';
import { readTable } from './folders.js';
import { type StudyStatistics, studyStatistics } from './statistics.js';
import type { StudyFolder } from './study-folder.js';
import type { StudyPlan } from './study-plan.js';
import { type TrivialPredictor, trivialPredictors } from './trivial.js';

/** One stage of the study as its manifest tells it. */
export interface StageSummary {
  /** Of the manifest, relative to the study. */
  folder: string;
  counts: Manifest['counts'];
  details: Record<string, unknown>;
}

export interface ProjectSummary extends StageSummary {
  project: string;
  /** The commit whose history was mined. */
  head: string;
}

export interface EncodingSummary extends StageSummary {
  encoding: string;
  counterfactual?: string;
}

/** Everything a report shows, as data: what `results.json` holds. */
export interface StudyResults {
  schema: 'redef.results/1';
  projects: ProjectSummary[];
  triage: StageSummary & { summary: TriageSummary };
  split: StageSummary;
  dedup: StageSummary;
  encodings: EncodingSummary[];
  cells: (Cell & { folder: string })[];
  conditions: Condition[];
  trivial: TrivialPredictor[];
  statistics: StudyStatistics;
  seed: number;
}

/**
 * Reads the manifests and predictions of a study's folder and computes its tables.
 *
 * @throws `RedefError` `stage-missing` where a stage has not been run
 */
export async function collectResults(
  study: StudyFolder,
  { projects, runs, seed }: StudyPlan,
  { signal }: { signal?: AbortSignal } = {},
): Promise<StudyResults> {
  const relative = (folder: string): string => folder.slice(study.root.length + 1).replaceAll('\\', '/');
  const summary = async (folder: string): Promise<StageSummary & { manifest: Manifest }> => {
    const manifest = await readManifest(folder);
    if (!manifest) {
      throw new RedefError(`${folder}: this stage has not been run to its end`, {
        code: 'stage-missing',
        remedy: 'Run redef study with the same options: it does what is missing.',
      });
    }
    return { folder: relative(folder), counts: manifest.counts, details: manifest.details ?? {}, manifest };
  };
  const stage = async (folder: string): Promise<StageSummary> => {
    const { manifest: _, ...rest } = await summary(folder);
    return rest;
  };

  const cells: StudyResults['cells'] = [];
  for (const { model, encoding, counterfactual, seed: runSeed } of runs) {
    const folder = study.predictions(model, counterfactual ?? encoding, runSeed);
    const predictions: Prediction[] = [];
    for await (const row of readTable(
      'redef.prediction/1',
      [join(folder, 'predictions.jsonl')],
      signal ? { signal } : {},
    )) {
      predictions.push(row);
    }
    if (predictions.some(({ split }) => split === 'test'))
      cells.push({ ...evaluateCell(predictions), folder: relative(folder) });
  }
  const encodings = new Map(
    runs.map(({ encoding, counterfactual }) => [counterfactual ?? encoding, { encoding, counterfactual }]),
  );
  const [first] = cells;

  return {
    schema: 'redef.results/1',
    projects: await Promise.all(
      projects.map(async (project) => {
        const { manifest, ...rest } = await summary(study.minedProject(project));
        return { project, head: manifest.inputs.head ?? '', ...rest };
      }),
    ),
    triage: { ...(await stage(study.triaged)), summary: await readSummary(join(study.triaged, 'summary.json')) },
    split: await stage(study.split),
    dedup: await stage(study.deduped),
    encodings: await Promise.all(
      [...encodings].map(async ([shown, { encoding, counterfactual }]) => ({
        encoding,
        ...(counterfactual !== undefined && { counterfactual }),
        ...(await stage(study.encoded(shown))),
      })),
    ),
    cells,
    conditions: summarise(cells),
    trivial: first ? trivialPredictors(first.positives / first.n) : [],
    statistics: studyStatistics(cells, seed),
    seed,
  };
}

async function readSummary(path: string): Promise<TriageSummary> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw fileError(error, path);
  }
}
