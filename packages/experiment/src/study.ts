import { normalize } from 'node:path';
import { canonicalJson, type ProgressEvent, RedefError } from '@redef/core';
import type { Manifest } from '@redef/core/files';
import type { RemovalPolicy } from '@redef/dedup';
import {
  type Budget,
  type CounterfactualName,
  counterfactualTraits,
  createLexicalTokenizer,
  type EncodingName,
  paperCounterfactuals,
  paperEncodings,
} from '@redef/encoders';
import type { MineOptions } from '@redef/mining';
import { createRuleVoter, type Rule, type VoteCache, type Voter } from '@redef/triage';
import { type Cell, shownName } from './cells/cell.js';
import { type CellEvent, createSequentialExecutor, type Executor } from './cells/executor.js';
import { reopenWithoutModel } from './cells/reopen.js';
import { type ExampleSource, isShown, planCells, type Shown, type StudyModel } from './plan-cells.js';
import type { StudyResults } from './results.js';
import { paperSeeds } from './seeds.js';
import type { SplitRule } from './split.js';
import type { StageOptions, StageResult } from './stage.js';
import { dedupStage } from './stages/dedup.js';
import { encodeStage } from './stages/encode.js';
import { mineStage } from './stages/mine.js';
import { reportStage } from './stages/report.js';
import { splitStage } from './stages/split.js';
import { triageStage } from './stages/triage.js';
import { defaultStatistics, type StatisticsSettings } from './statistics-settings.js';
import { studyFolder } from './study-folder.js';
import { cellsOf, relativePath, type StudyPlan, storeOf, writePlan } from './study-plan.js';

/** Of the counterfactuals' draws and the bootstrap. */
const studySeed = paperSeeds[0]!;

export interface Study {
  /** The study's folder: see {@link studyFolder}. */
  out: string;
  /** Local repositories under distinct project names. */
  repositories: readonly { project: string; path: string }[];
  mining?: Omit<MineOptions, 'project' | 'index' | 'workers'>;
  workers?: number;
  /** Default: the rule-based voter, which every vote and the report name. */
  voters?: readonly Voter[];
  ballots?: number;
  rule?: Rule;
  voteCache?: VoteCache;
  /** Default: the paper's, by time per repository and class. `leave-one-project-out` tests on each project in turn. */
  split?: SplitRule | { rule: 'leave-one-project-out' };
  /** Default `cut-from-train`. */
  policy?: RemovalPolicy;
  /** Default: the paper's five. */
  encodings?: readonly EncodingName[];
  /** Unchanged lines around edits, for encodings that show some; `Infinity` for all. Default 3: ReDef, section 3.2, gives no number. */
  contextLines?: number;
  /** Default: the paper's four, as far as their encodings are in the study. Others take the encoding that shows them, by default diff-tags. */
  counterfactuals?: readonly (CounterfactualName | { name: CounterfactualName; encoding: EncodingName })[];
  /** Default {@link paperSeeds}. */
  seeds?: readonly number[];
  /** Default: the linear baseline over 512 lexemes. */
  models?: readonly StudyModel[];
  /** Default `fixed`. */
  threshold?: Cell['threshold'];
  /** Default {@link defaultStatistics}, those of ReDef, section 4.4. */
  statistics?: Partial<StatisticsSettings>;
  /** Folder of the run store. Default: in the study's folder. One that several studies name holds each common cell once. */
  store?: string;
  /** Default: one cell after the other, in this process. */
  executor?: Executor;
}

export type StudyEvent =
  | { type: 'stage'; result: StageResult }
  /** The cells that are about to be run, or taken from the store. */
  | { type: 'planned'; cells: readonly Cell[] }
  | { type: 'cell'; cell: Cell; event: CellEvent; done: number; failed: number; total: number };

export interface StudyOptions extends Omit<StageOptions, 'onEvent'> {
  onEvent?: (event: ProgressEvent | StudyEvent) => void;
}

/** The baseline that stands in every study. */
export function linearModel(budget?: Budget, epochs?: number): StudyModel {
  const tokenizer = createLexicalTokenizer();
  return {
    name: 'linear',
    budget: budget ?? { tokenizer, maxTokens: tokenizer.maxTokens },
    spec: () => ({ engine: 'linear', options: {}, ...(epochs !== undefined && { epochs }) }),
  };
}

/**
 * The whole chain over a folder: mine, triage, split, de-duplicate, encode, run every cell, report. Each stage runs only
 * where its inputs or options changed since the folder was last written and each cell only where the store has none, so a
 * stopped study goes on where it stood. A cell that fails is recorded and named in the report; the rest go on.
 */
export async function runStudy(
  study: Study,
  options: StudyOptions = {},
): Promise<{ results: StudyResults; folder: string }> {
  const { repositories, models = [linearModel()], encodings = paperEncodings, seeds = paperSeeds } = study;
  const shown = shownWays(study, encodings);
  const rules = splitRules(study.split, repositories);
  checkNames({ repositories, models, seeds, encodings, shown });
  const at = studyFolder(study.out);
  const { onEvent, signal } = options;
  const tell = async <Result extends StageResult>(stage: Promise<Result>): Promise<Result> => {
    const result = await stage;
    onEvent?.({ type: 'stage', result });
    return result;
  };

  for (const { project, path } of repositories) {
    await tell(
      mineStage(
        {
          repository: path,
          project,
          out: at.minedProject(project),
          index: at.index(project),
          ...(study.mining && { mining: study.mining }),
          ...(study.workers !== undefined && { workers: study.workers }),
        },
        options,
      ),
    );
  }
  // What an earlier run mined of repositories that the study no longer has stays in the folder, unread.
  const mined = { mined: at.mined, projects: repositories.map(({ project }) => project) };
  const triaged = await tell(
    triageStage(
      {
        ...mined,
        out: at.triaged,
        voters: study.voters ?? [createRuleVoter()],
        ...(study.ballots !== undefined && { ballots: study.ballots }),
        ...(study.rule && { rule: study.rule }),
        ...(study.voteCache && { cache: study.voteCache }),
      },
      options,
    ),
  );

  const labelled = { ...mined, labels: at.triaged };
  const sources = new Map<string, ExampleSource>();
  for (const { fold, rule } of rules) {
    const { split, deduped, encoded } = at.fold(fold);
    await tell(splitStage({ ...labelled, out: split, ...(rule && { rule }) }, options));
    const policy = study.policy ? { policy: study.policy } : {};
    const divided = await tell(dedupStage({ ...labelled, split, out: deduped, ...policy }, options));
    for (const [budget, readers] of byBudget(models)) {
      for (const way of shown.filter((candidate) => readers.some((model) => isShown(model, candidate)))) {
        const out = encoded(budgetName(budget), shownName(way));
        const as =
          way.counterfactual === undefined ? way : { ...way, counterfactual: way.counterfactual, seed: studySeed };
        const { contextLines = 3 } = study;
        const rows = await tell(encodeStage({ ...mined, split: deduped, out, as, budget, contextLines }, options));
        sources.set(sourceKey(fold, budget, way), sourceOf(at.root, rows, triaged, divided));
      }
    }
  }

  const store = study.store ?? at.store;
  const plan: StudyPlan = {
    schema: 'redef.study-plan/2',
    projects: mined.projects,
    folds: rules.flatMap(({ fold }) => fold ?? []),
    baselines: models.flatMap(({ name, baseline }) => (baseline ? name : [])),
    store: relativePath(at.root, store),
    cells: relativeCheckpoints(
      at.root,
      planCells({
        models,
        shown,
        seeds,
        folds: rules.flatMap(({ fold }) => fold ?? []),
        threshold: study.threshold ?? 'fixed',
        source: (fold, budget, way) => sources.get(sourceKey(fold, budget, way))!,
      }),
    ),
    seed: studySeed,
    statistics: { ...defaultStatistics, ...study.statistics },
  };
  await writePlan(at, plan);

  const { executor = createSequentialExecutor() } = study;
  const cells = new Map(cellsOf(at, plan).map((cell) => [cell.key, cell]));
  await reopenWithoutModel([...cells.values()], storeOf(at, plan));
  onEvent?.({ type: 'planned', cells: [...cells.values()] });
  let done = 0;
  let failed = 0;
  const run = { folder: at.root, store: storeOf(at, plan), ...(signal && { signal }) };
  for await (const event of executor.submit([...cells.values()], run)) {
    if (event.type === 'done') done++;
    if (event.type === 'failed') failed++;
    onEvent?.({ type: 'cell', cell: cells.get(event.key)!, event, done, failed, total: cells.size });
  }

  const { results, folder } = await tell(reportStage(at, plan, options));
  return { results, folder };
}

/** Encodings, then counterfactuals. @throws `RedefError` `invalid-option` for a counterfactual whose encoding is not in the study */
function shownWays(study: Study, encodings: readonly EncodingName[]): Shown[] {
  const stage1 = encodings.map((encoding): Shown => ({ encoding }));
  const included = (encoding: string): encoding is EncodingName => encodings.some((name) => name === encoding);
  const { counterfactuals } = study;
  const stage2 = (counterfactuals ?? paperCounterfactuals).flatMap((given): Shown[] => {
    const { name: counterfactual, ...own } = typeof given === 'string' ? { name: given } : given;
    const { encoding } = counterfactualTraits(counterfactual, 'encoding' in own ? own.encoding : undefined);
    if (included(encoding)) return [{ encoding, counterfactual }];
    if (!counterfactuals) return [];
    throw new RedefError(`${counterfactual} distorts the encoding ${encoding}, which is not in this study`, {
      code: 'invalid-option',
      remedy: `Add ${encoding} to the encodings, or leave ${counterfactual} out.`,
    });
  });
  return [...stage1, ...stage2];
}

/** @throws `RedefError` `invalid-option` for projects that the study does not have */
function splitRules(split: Study['split'], repositories: Study['repositories']): { fold?: string; rule?: SplitRule }[] {
  if (split?.rule === 'cross-project') {
    const unknown = split.testProjects.find((name) => !repositories.some(({ project }) => project === name));
    if (unknown !== undefined) {
      throw new RedefError(`the split tests on ${unknown}, which is none of the repositories`, {
        code: 'invalid-option',
        remedy: `Choose among ${repositories.map(({ project }) => project).join(', ')}.`,
      });
    }
  }
  if (split?.rule !== 'leave-one-project-out') return [split ? { rule: split } : {}];
  if (repositories.length < 2) {
    throw new RedefError('leave-one-project-out needs two projects at least', {
      code: 'invalid-option',
      remedy: 'Add repositories, or choose another split.',
    });
  }
  return repositories.map(({ project }) => ({
    fold: project,
    rule: { rule: 'cross-project', testProjects: [project] },
  }));
}

/** A folder's name: the tokenizer and the most tokens of an input. */
function budgetName({ tokenizer, maxTokens }: Budget): string {
  return `${tokenizer.id.replace(/[^\w.-]+/g, '-')}-${maxTokens}`;
}

/** Models that read the same tokens share what is encoded. */
function byBudget(models: readonly StudyModel[]): [Budget, StudyModel[]][] {
  const found = new Map<string, [Budget, StudyModel[]]>();
  for (const model of models) {
    const readers = found.get(budgetName(model.budget));
    if (readers) readers[1].push(model);
    else found.set(budgetName(model.budget), [model.budget, [model]]);
  }
  return [...found.values()];
}

const sourceKey = (fold: string | undefined, budget: Budget, way: Shown): string =>
  JSON.stringify([fold, budgetName(budget), shownName(way)]);

function sourceOf(root: string, encoded: StageResult, labels: StageResult, split: StageResult): ExampleSource {
  const digest = ({ outputs }: Manifest, file: string): string => outputs[file]!;
  return {
    examples: {
      encoded: relativePath(root, encoded.folder),
      labels: relativePath(root, labels.folder),
      split: relativePath(root, split.folder),
    },
    inputs: {
      'encoded/encoded.jsonl': digest(encoded.manifest, 'encoded.jsonl'),
      'labels/labels.jsonl': digest(labels.manifest, 'labels.jsonl'),
      'split/splits.jsonl': digest(split.manifest, 'splits.jsonl'),
    },
  };
}

function relativeCheckpoints(root: string, cells: readonly Cell[]): Cell[] {
  return cells.map(({ spec: { checkpoint, ...spec }, ...cell }) => ({
    ...cell,
    spec: {
      ...spec,
      ...(checkpoint && { checkpoint: { ...checkpoint, folder: relativePath(root, checkpoint.folder) } }),
    },
  }));
}

function checkNames({
  repositories,
  models,
  seeds,
  encodings,
  shown,
}: Required<Pick<Study, 'repositories' | 'models' | 'seeds' | 'encodings'>> & { shown: readonly Shown[] }): void {
  const projects = repositories.map(({ project }) => project);
  const blind = models.find((model) => model.encodings?.some((name) => !encodings.includes(name)))?.name;
  const [problem] = [
    projects.length === 0 ? 'a study needs at least one repository' : [],
    projects.every((project) => /^\w[\w.@+-]*$/.test(project))
      ? []
      : 'a project name holds letters, digits and . _ @ + - only, and begins with a letter or digit',
    told('two repositories are both called', repeated(projects)),
    told('two projects are both the repository', repeated(repositories.map(({ path }) => normalize(`${path}/`)))),
    told('two models are both called', repeated(models.map(({ name }) => name))),
    told('under two names there stands the model', sameModel(models, encodings, seeds)),
    told('there stands twice the seed', repeated(seeds)),
    told('there stands twice the encoding', repeated(encodings)),
    told('there stands twice the counterfactual', repeated(shown.map(shownName))),
    told('an encoding that the study does not have is to be seen by the model', blind),
  ].flat();
  if (problem === undefined) return;
  throw new RedefError(problem, {
    code: 'invalid-option',
    remedy: 'Give each repository and model a name of its own, and name it, seeds, encodings and counterfactuals once.',
  });
}

/** The name of a model that would run cells which another has: one way to train, on the same inputs with the same seed. */
function sameModel(
  models: readonly StudyModel[],
  encodings: readonly EncodingName[],
  seeds: readonly number[],
): string | undefined {
  const runs = models.flatMap(({ name, budget, spec, ...own }) =>
    (own.encodings ?? encodings).flatMap((encoding) => {
      const { checkpoint, ...engine } = spec(budget.tokenizer, encoding);
      const trained = canonicalJson([budgetName(budget), engine, checkpoint?.digest, encoding]);
      return (own.seeds ?? seeds).map((seed) => ({ name, run: `${seed} ${trained}` }));
    }),
  );
  const first = new Map(runs.map(({ name, run }) => [run, name] as const).reverse());
  return runs.find(({ name, run }) => first.get(run) !== name)?.name;
}

const told = (what: string, name: string | number | undefined): string | [] =>
  name === undefined ? [] : `${what} ${name}`;

function repeated<Name>(names: readonly Name[]): Name | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}
