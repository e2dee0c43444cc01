import type { ProgressEvent } from '@redef/core';
import { RedefError } from '@redef/core';
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
import { createLinearEngine, type TrainingEngine } from '@redef/training';
import { createRuleVoter, type Rule, type VoteCache, type Voter } from '@redef/triage';
import type { StudyResults } from './results.js';
import { paperSeeds } from './seeds.js';
import type { SplitRule } from './split.js';
import type { StageOptions, StageResult } from './stage.js';
import { dedupStage } from './stages/dedup.js';
import { encodeStage } from './stages/encode.js';
import { mineStage } from './stages/mine.js';
import { predictStage } from './stages/predict.js';
import { reportStage } from './stages/report.js';
import { splitStage } from './stages/split.js';
import { trainStage } from './stages/train.js';
import { triageStage } from './stages/triage.js';
import { studyFolder } from './study-folder.js';
import { type RunKey, type StudyPlan, writePlan } from './study-plan.js';

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
  /** Default: the paper's, by time per repository and class. */
  split?: SplitRule;
  /** Default `cut-from-train`. */
  policy?: RemovalPolicy;
  /** Default: the paper's five. */
  encodings?: readonly EncodingName[];
  /** Default: the paper's four, as far as their encodings are in the study. */
  counterfactuals?: readonly CounterfactualName[];
  /** Default {@link paperSeeds}. */
  seeds?: readonly number[];
  /** Default: 512 lexemes. */
  budget?: Budget;
  /** Default: the linear baseline. */
  engine?: TrainingEngine;
  epochs?: number;
}

export interface StudyEvent {
  type: 'stage';
  result: StageResult;
}

export interface StudyOptions extends Omit<StageOptions, 'onEvent'> {
  onEvent?: (event: ProgressEvent | StudyEvent) => void;
}

/**
 * The whole chain over a folder: mine, triage, split, de-duplicate, encode, train, predict, report. Each stage runs only
 * where its inputs or options changed since the folder was last written, so a stopped study goes on where it stood.
 *
 * Stage 1 trains every encoding with every seed. Stage 2 shows the counterfactuals: those that the paper applies to
 * training too are trained anew, the others are put to the Stage 1 model of the same seed (ReDef, section 3.2).
 */
export async function runStudy(
  study: Study,
  options: StudyOptions = {},
): Promise<{ results: StudyResults; folder: string }> {
  const {
    repositories,
    voters = [createRuleVoter()],
    encodings = paperEncodings,
    seeds = paperSeeds,
    engine = createLinearEngine(),
  } = study;
  const tokenizer = study.budget?.tokenizer ?? createLexicalTokenizer();
  const budget = study.budget ?? { tokenizer, maxTokens: tokenizer.maxTokens };
  const counterfactuals = chosenCounterfactuals(study, encodings);
  checkProjects(repositories);

  const at = studyFolder(study.out);
  const { onEvent, ...quiet } = options; // of a single run's epochs nothing is told
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
  await tell(
    triageStage(
      {
        mined: at.mined,
        out: at.triaged,
        voters,
        ...(study.ballots !== undefined && { ballots: study.ballots }),
        ...(study.rule && { rule: study.rule }),
        ...(study.voteCache && { cache: study.voteCache }),
      },
      options,
    ),
  );
  const labelled = { mined: at.mined, labels: at.triaged };
  await tell(splitStage({ ...labelled, out: at.split, ...(study.split && { rule: study.split }) }, options));
  await tell(
    dedupStage(
      { ...labelled, split: at.split, out: at.deduped, ...(study.policy && { policy: study.policy }) },
      options,
    ),
  );

  const shownAs = [
    ...encodings.map((encoding) => ({
      shown: encoding,
      trainedOn: encoding as string,
      as: { encoding },
      key: { encoding },
    })),
    ...counterfactuals.map((counterfactual) => {
      const { encoding, appliesTo } = counterfactualTraits(counterfactual);
      return {
        shown: counterfactual,
        trainedOn: appliesTo.train ? counterfactual : encoding,
        as: { counterfactual, seed: studySeed },
        key: { encoding, counterfactual },
      };
    }),
  ];
  const plan: StudyPlan = {
    schema: 'redef.study-plan/1',
    projects: repositories.map(({ project }) => project),
    runs: shownAs.flatMap(({ key }) => seeds.map((seed): RunKey => ({ model: engine.id, ...key, seed }))),
    seed: studySeed,
  };
  await writePlan(at, plan);

  for (const [position, { shown, trainedOn, as }] of shownAs.entries()) {
    await tell(encodeStage({ mined: at.mined, split: at.deduped, out: at.encoded(shown), as, budget }, options));
    const examples = { encoded: at.encoded(shown), labels: at.triaged, split: at.deduped };
    for (const [run, seed] of seeds.entries()) {
      const model = at.model(engine.id, trainedOn, seed);
      if (shown === trainedOn) {
        const epochs = study.epochs === undefined ? {} : { epochs: study.epochs };
        await tell(trainStage({ ...examples, out: model, engine, seed, ...epochs }, quiet));
      }
      await tell(
        predictStage({ ...examples, model, out: at.predictions(engine.id, shown, seed), engine, seed }, quiet),
      );
      const done = position * seeds.length + run + 1;
      onEvent?.({ type: 'progress', stage: 'train and predict', done, total: plan.runs.length, unit: 'runs' });
    }
  }

  const { results, folder } = await tell(reportStage(at, plan, options));
  return { results, folder };
}

/** @throws `RedefError` `invalid-option` for a counterfactual whose encoding is not in the study */
function chosenCounterfactuals(study: Study, encodings: readonly EncodingName[]): readonly CounterfactualName[] {
  const encodingOf = (name: CounterfactualName): string => counterfactualTraits(name).encoding;
  const included = (name: CounterfactualName): boolean => encodings.some((encoding) => encoding === encodingOf(name));
  const { counterfactuals } = study;
  if (!counterfactuals) return paperCounterfactuals.filter(included);
  const alone = counterfactuals.find((name) => !included(name));
  if (alone === undefined) return counterfactuals;
  throw new RedefError(`${alone} distorts the encoding ${encodingOf(alone)}, which is not in this study`, {
    code: 'invalid-option',
    remedy: `Add ${encodingOf(alone)} to the encodings, or leave ${alone} out.`,
  });
}

function checkProjects(repositories: Study['repositories']): void {
  const names = repositories.map(({ project }) => project);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  const problem =
    names.length === 0
      ? 'a study needs at least one repository'
      : twice !== undefined
        ? `two repositories are both called ${twice}`
        : names.find((name) => !/^[\w][\w.@+-]*$/.test(name)) !== undefined
          ? 'a project name holds letters, digits and . _ @ + - only, and begins with a letter or digit'
          : undefined;
  if (problem)
    throw new RedefError(problem, { code: 'invalid-option', remedy: 'Name each repository: --repo NAME=PATH.' });
}
