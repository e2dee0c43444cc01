import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError, type Manifest, readManifest } from '@redef/core/files';
import type { TriageSummary } from '@redef/triage';
import {
  type ConditionCurves,
  type CurveRun,
  conditionCurves,
  type LengthDistribution,
  lengthDistribution,
} from './curves.js';
import { type Cell, type Condition, evaluateCell, summarise } from './evaluate.js';
import { readTable } from './folders.js';
import type { TrainingRecord } from './stages/train.js';
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

/** Where a study's changes come from and what became of them. */
export interface StudyData {
  projects: ProjectSummary[];
  triage: StageSummary & { summary: TriageSummary };
  split: StageSummary;
  dedup: StageSummary;
  encodings: EncodingSummary[];
  /** Labelled changes after de-duplication. */
  classes: { project: string; label: 'defective' | 'clean'; count: number }[];
  /** Of function_after under the study's tokenizer; absent where no encoding shows that function whole. */
  lengths?: LengthDistribution;
}

/** Everything a report shows, as data: what `results.json` holds. */
export interface StudyResults {
  schema: 'redef.results/1';
  /** `null` for imported results. */
  data: StudyData | null;
  /** `folder` holds the predictions, relative to the study; absent for imported results. */
  cells: (Cell & { folder?: string })[];
  conditions: Condition[];
  trivial: TrivialPredictor[];
  statistics: StudyStatistics;
  /** Of Stage 1; none for imported results. */
  curves: ConditionCurves[];
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

  const read = signal ? { signal } : {};
  const cells: StudyResults['cells'] = [];
  const curveRuns = new Map<string, CurveRun[]>();
  for (const { model, encoding, counterfactual, seed: runSeed } of runs) {
    const folder = study.predictions(model, counterfactual ?? encoding, runSeed);
    const predictions = await readAll(readTable('redef.prediction/1', [join(folder, 'predictions.jsonl')], read));
    if (!predictions.some(({ split }) => split === 'test')) continue;
    cells.push({ ...evaluateCell(predictions), folder: relative(folder) });
    if (counterfactual !== undefined) continue;
    const training = await readJson<TrainingRecord>(join(study.model(model, encoding, runSeed), 'training.json'));
    const key = JSON.stringify([model, encoding]);
    curveRuns.set(key, [...(curveRuns.get(key) ?? []), { model, encoding, predictions, training }]);
  }
  const encodings = new Map(
    runs.map(({ encoding, counterfactual }) => [counterfactual ?? encoding, { encoding, counterfactual }]),
  );
  const lengths = await readLengths(study, encodings, read);

  const data: StudyData = {
    projects: await Promise.all(
      projects.map(async (project) => {
        const { manifest, ...rest } = await summary(study.minedProject(project));
        return { project, head: manifest.inputs.head ?? '', ...rest };
      }),
    ),
    triage: {
      ...(await stage(study.triaged)),
      summary: await readJson<TriageSummary>(join(study.triaged, 'summary.json')),
    },
    split: await stage(study.split),
    dedup: await stage(study.deduped),
    encodings: await Promise.all(
      [...encodings].map(async ([shown, { encoding, counterfactual }]) => ({
        encoding,
        ...(counterfactual !== undefined && { counterfactual }),
        ...(await stage(study.encoded(shown))),
      })),
    ),
    classes: await countClasses(study, projects, read),
    ...(lengths && { lengths }),
  };
  return { data, ...tabulate(cells, seed), curves: [...curveRuns.values()].map(conditionCurves) };
}

/** The tables and tests that follow from the cells alone. */
export function tabulate(cells: StudyResults['cells'], seed: number): Omit<StudyResults, 'data' | 'curves'> {
  const known = cells.find(({ n, positives }) => n !== undefined && positives !== undefined);
  return {
    schema: 'redef.results/1',
    cells,
    conditions: summarise(cells),
    trivial: known ? trivialPredictors(known.positives! / known.n!) : [],
    statistics: studyStatistics(cells, seed),
    seed,
  };
}

/** Encodings that hold the whole of function_after, and it alone. */
const wholeFunction = 'after-only';

async function readLengths(
  study: StudyFolder,
  encodings: ReadonlyMap<string, unknown>,
  read: { signal?: AbortSignal },
): Promise<LengthDistribution | undefined> {
  if (!encodings.has(wholeFunction)) return undefined;
  const lengths: number[] = [];
  let tokenizer = '';
  for await (const row of readTable('redef.encoded/1', [join(study.encoded(wholeFunction), 'encoded.jsonl')], read)) {
    lengths.push(row.tokens);
    tokenizer = row.tokenizer;
  }
  return lengthDistribution(tokenizer, lengths);
}

async function countClasses(
  study: StudyFolder,
  projects: readonly string[],
  read: { signal?: AbortSignal },
): Promise<StudyData['classes']> {
  const labels = await readAll(readTable('redef.label/1', [join(study.triaged, 'labels.jsonl')], read));
  const labelOf = new Map(labels.map(({ id, label }) => [id, label]));
  const splits = await readAll(readTable('redef.split/1', [join(study.deduped, 'splits.jsonl')], read));
  const kept = new Set(splits.map(({ id }) => id));
  const classes: StudyData['classes'] = [];
  for (const project of projects) {
    const count = { defective: 0, clean: 0 };
    for await (const { id } of readTable(
      'redef.change/1',
      [join(study.minedProject(project), 'changes.jsonl')],
      read,
    )) {
      const label = labelOf.get(id);
      if (label && kept.has(id)) count[label]++;
    }
    classes.push(
      { project, label: 'defective', count: count.defective },
      { project, label: 'clean', count: count.clean },
    );
  }
  return classes;
}

async function readAll<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** A file that a stage of this study wrote. */
async function readJson<T>(path: string): Promise<T> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw fileError(error, path);
  }
}
