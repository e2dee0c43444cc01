import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, type Prediction, RedefError } from '@redef/core';
import { fileError, type Manifest, readManifest } from '@redef/core/files';
import type { TriageSummary } from '@redef/triage';
import { type AuditReport, auditReport, readAudit, readReviews } from '@redef/triage/audit';
import { type Cell, shownName } from './cells/cell.js';
import { cellState, finishedCell } from './cells/run-store.js';
import {
  type ConditionCurves,
  type CurveRun,
  conditionCurves,
  type LengthDistribution,
  lengthDistribution,
} from './curves.js';
import { averageFolds, type CellResult, type Condition, evaluateCell, summarise } from './evaluate.js';
import { readTable } from './folders.js';
import { readTrainingRecord } from './stages/train.js';
import { type StudyStatistics, studyStatistics } from './statistics.js';
import type { StatisticsSettings } from './statistics-settings.js';
import type { StudyFolder } from './study-folder.js';
import { cellsOf, relativePath, type StudyPlan, storeOf } from './study-plan.js';
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
  /** The models that read it. */
  models: string[];
  fold?: string;
}

/** One way of splitting: how many changes of which label stand where, and what the sets share. */
export interface SplitSummary {
  fold?: string;
  split: StageSummary;
  dedup: StageSummary;
}

/** Where a study's changes come from and what became of them. */
export interface StudyData {
  projects: ProjectSummary[];
  triage: StageSummary & { summary: TriageSummary };
  /** Absent where nobody audited the labels. */
  audit?: AuditReport;
  splits: SplitSummary[];
  encodings: EncodingSummary[];
  /** Labelled changes after de-duplication, of the first fold. */
  classes: { project: string; label: 'defective' | 'clean'; count: number }[];
  /** Of function_after under each tokenizer; none where no encoding shows that function whole. */
  lengths: LengthDistribution[];
}

/** A cell that the report does without. */
export interface MissingCell {
  model: string;
  encoding: string;
  counterfactual?: string;
  seed: number;
  fold?: string;
  key: string;
  /** Why it failed; absent where it was not run yet. */
  error?: { code: string; message: string };
}

/** A cell's results and the folder they came from, relative to the study; imported results have none. */
export type StoredResult = CellResult & {
  folder?: string;
  /** Of a chat model: how many test examples it gave no answer to, by reason; each counts with a score of 0. */
  unanswered?: Record<string, number>;
};

/** Everything a report shows, as data: what `results.json` holds. */
export interface StudyResults {
  schema: 'redef.results/2';
  /** `null` for imported results. */
  data: StudyData | null;
  cells: StoredResult[];
  /** The projects left out in turn whose test set has a change; none for one way of splitting. */
  folds: string[];
  missing: MissingCell[];
  /** Means over the folds first where there are folds, then over the seeds. */
  conditions: Condition[];
  trivial: TrivialPredictor[];
  statistics: StudyStatistics;
  /** Of Stage 1; none for imported results. */
  curves: ConditionCurves[];
  seed: number;
}

/**
 * Reads the manifests of a study's folder and the results of its cells and computes its tables.
 *
 * @throws `RedefError` `stage-missing` where a stage has not been run
 */
export async function collectResults(
  study: StudyFolder,
  plan: StudyPlan,
  { signal }: { signal?: AbortSignal } = {},
): Promise<StudyResults> {
  const read = signal ? { signal } : {};
  const store = storeOf(study, plan);
  const cells: StoredResult[] = [];
  const missing: MissingCell[] = [];
  const untested = new Set<string | undefined>();
  const curveRuns = new Map<string, CurveRun[]>();
  for (const { key, model, encoding, counterfactual, seed, fold, spec } of plan.cells) {
    const names = {
      model,
      encoding,
      ...(counterfactual !== undefined && { counterfactual }),
      seed,
      ...(fold !== undefined && { fold }),
    };
    if (!(await finishedCell(store, key))) {
      const state = await cellState(store, key);
      const error = state.state === 'failed' && { code: state.failure.code, message: state.failure.message };
      missing.push({ ...names, key, ...(error && { error }) });
      continue;
    }
    const folder = store.cell(key);
    const predictions = await readAll(readTable('redef.prediction/1', [join(folder, 'predictions.jsonl')], read));
    if (!predictions.some(({ split }) => split === 'test')) {
      untested.add(fold);
      continue;
    }
    cells.push({
      ...evaluateCell(predictions),
      ...names,
      folder: relativePath(study.root, folder),
      ...(spec.engine === 'chat' && { unanswered: countUnanswered(predictions) }),
    });
    if (counterfactual !== undefined) continue;
    const training = await readTrainingRecord(folder);
    const condition = JSON.stringify([model, encoding]);
    const runs = curveRuns.get(condition) ?? [];
    curveRuns.set(condition, [...runs, { model, encoding, predictions, training }]);
  }
  return {
    data: await collectData(study, plan, read),
    ...tabulate(cells, plan.seed, {
      settings: plan.statistics,
      folds: plan.folds.filter((fold) => !untested.has(fold)),
      baselines: plan.baselines,
    }),
    missing,
    curves: [...curveRuns.values()].map(conditionCurves),
  };
}

function countUnanswered(predictions: readonly Prediction[]): Record<string, number> {
  const counts = new Counter();
  for (const { split, unanswered } of predictions) if (split === 'test' && unanswered) counts.add(unanswered);
  return counts.toJSON();
}

/** The tables and tests that follow from the cells alone. */
export function tabulate(
  cells: readonly StoredResult[],
  seed: number,
  {
    settings,
    folds = [],
    baselines = [],
  }: { settings?: StatisticsSettings; folds?: string[]; baselines?: string[] } = {},
): Omit<StudyResults, 'data' | 'curves' | 'missing'> {
  const known = cells.filter(({ n, positives }) => n !== undefined && positives !== undefined);
  const prevalences = [...new Map(known.map(({ fold, n, positives }) => [fold, positives! / n!])).values()];
  const subjects = averageFolds(cells, folds);
  return {
    schema: 'redef.results/2',
    cells: [...cells],
    folds,
    conditions: summarise(subjects),
    trivial: prevalences.length > 0 ? trivialPredictors(prevalences) : [],
    statistics: studyStatistics(subjects, seed, settings, baselines),
    seed,
  };
}

interface ReadOptions {
  signal?: AbortSignal;
}

async function collectData(study: StudyFolder, plan: StudyPlan, read: ReadOptions): Promise<StudyData> {
  const stage = async (folder: string): Promise<StageSummary & { manifest: Manifest }> => {
    const manifest = await readManifest(folder);
    if (!manifest) {
      throw new RedefError(`${folder}: this stage has not been run to its end`, {
        code: 'stage-missing',
        remedy: 'Run redef study with the same options: it does what is missing.',
      });
    }
    return {
      folder: relativePath(study.root, folder),
      counts: manifest.counts,
      details: manifest.details ?? {},
      manifest,
    };
  };
  const summary = async (folder: string): Promise<StageSummary> => {
    const { manifest: _, ...rest } = await stage(folder);
    return rest;
  };
  const projects = await Promise.all(
    plan.projects.map(async (project) => {
      const { manifest, ...rest } = await stage(study.minedProject(project));
      return { project, head: manifest.inputs.head ?? '', ...rest };
    }),
  );
  const folds = plan.folds.length > 0 ? plan.folds : [undefined];
  const splits = await Promise.all(
    folds.map(async (fold) => ({
      ...(fold !== undefined && { fold }),
      split: await summary(study.fold(fold).split),
      dedup: await summary(study.fold(fold).deduped),
    })),
  );
  const encodings = await Promise.all(
    encodedFolders(cellsOf(study, plan)).map(async ({ folder, ...names }) => ({
      ...names,
      ...(await summary(folder)),
    })),
  );
  const audit = await readAuditOf(study, plan.projects);
  return {
    projects,
    ...(audit && { audit }),
    triage: {
      ...(await summary(study.triaged)),
      summary: await readJson<TriageSummary>(join(study.triaged, 'summary.json')),
    },
    splits,
    encodings,
    classes: await countClasses(study, plan, read),
    lengths: await readLengths(study, encodings, read),
  };
}

/** Of the study's own projects: a sample drawn before may have changes of others. */
async function readAuditOf({ audit }: StudyFolder, projects: readonly string[]): Promise<AuditReport | undefined> {
  try {
    const { questions, items } = await readAudit(audit);
    const own = items.filter(({ group }) => projects.includes(group));
    return own.length > 0 ? auditReport({ questions, items: own }, await readReviews(audit)) : undefined;
  } catch (error) {
    if (RedefError.isInstance(error) && error.code === 'not-an-audit') return undefined;
    throw error;
  }
}

/** Each folder of encoded changes once, with the models that read it. */
function encodedFolders(cells: readonly Cell[]) {
  const folders = new Map<string, Omit<EncodingSummary, keyof StageSummary> & { folder: string }>();
  for (const { examples, encoding, counterfactual, fold, model } of cells) {
    const known = folders.get(examples.encoded);
    if (known) known.models = [...new Set([...known.models, model])];
    else {
      folders.set(examples.encoded, {
        folder: examples.encoded,
        encoding,
        ...(counterfactual !== undefined && { counterfactual }),
        ...(fold !== undefined && { fold }),
        models: [model],
      });
    }
  }
  return [...folders.values()];
}

/** The encoding that holds the whole of function_after, and it alone. */
const wholeFunction = 'after-only';

async function readLengths(
  study: StudyFolder,
  encodings: readonly EncodingSummary[],
  read: ReadOptions,
): Promise<LengthDistribution[]> {
  const [first] = encodings;
  const found = new Map<string, LengthDistribution>();
  for (const summary of encodings) {
    if (shownName(summary) !== wholeFunction || summary.fold !== first?.fold) continue;
    const lengths: number[] = [];
    let tokenizer = '';
    const file = join(study.root, summary.folder, 'encoded.jsonl');
    for await (const row of readTable('redef.encoded/1', [file], read)) {
      lengths.push(row.tokens);
      tokenizer = row.tokenizer;
    }
    if (lengths.length > 0 && !found.has(tokenizer)) found.set(tokenizer, lengthDistribution(tokenizer, lengths));
  }
  return [...found.values()];
}

async function countClasses(
  study: StudyFolder,
  { projects, folds }: StudyPlan,
  read: ReadOptions,
): Promise<StudyData['classes']> {
  const labels = await readAll(readTable('redef.label/1', [join(study.triaged, 'labels.jsonl')], read));
  const labelOf = new Map(labels.map(({ id, label }) => [id, label]));
  const splits = await readAll(readTable('redef.split/1', [join(study.fold(folds[0]).deduped, 'splits.jsonl')], read));
  const kept = new Set(splits.map(({ id }) => id));
  const classes: StudyData['classes'] = [];
  for (const project of projects) {
    const count = { defective: 0, clean: 0 };
    const changes = join(study.minedProject(project), 'changes.jsonl');
    for await (const { id } of readTable('redef.change/1', [changes], read)) {
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
