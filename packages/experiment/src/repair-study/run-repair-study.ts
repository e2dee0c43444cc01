import { join } from 'node:path';
import { type ProgressEvent, RedefError, type RunOptions } from '@redef/core';
import { paperSeeds, type RepairPredictions, type RepairReport, type ScoreOptions, scoreRepairs } from '@redef/repair';
import { fineTuningSettings, preTrainingSettings, type TrainRepairOptions } from '@redef/repair/model';
import type { FitSettings } from '@redef/training';
import { type CellTools, predictCell, trainCell } from './cell.js';
import {
  type DataScenario,
  dataScenarios,
  publishedValidation,
  type RepairRow,
  type RepairScenario,
  type RepairSplit,
  repairScenarios,
  splitFor,
} from './scenarios.js';

/** R+R's second study: what duplicates were worth to repair models, and what pre-training on bug fixes is (section 4). */
export interface RepairStudy extends CellTools {
  /** The study's folder: a cell that is done is not done again. */
  folder: string;
  /** The training set with the validation set in it, and the test set. */
  rows: { train: readonly RepairRow[]; test: readonly RepairRow[] };
  /** The bug-fix corpus; without it there is no `bug-fix` and no `transfer`. */
  bugFixes?: { train: readonly RepairRow[]; validation: readonly RepairRow[] };
  /** A checkpoint's folder with what of its settings is to be changed, or a network drawn from the seed. */
  model: TrainRepairOptions['start'];
  /** Default: all that there is data for. */
  scenarios?: readonly RepairScenario[];
  /** Default: the six of the paper. */
  seeds?: readonly number[];
  /** Beams of RQ1 to RQ3. Default 50. */
  width?: number;
  /** Beams of `bug-fix` and `transfer`, for figure 1. Default 1, 3, 5, 10, 20, 30, 40, 50. */
  widths?: readonly number[];
  /** Default {@link publishedValidation}; a share of 0 keeps the last epoch. */
  validation?: { share: number; seed: number };
  /** Default the papers' for each. */
  settings?: Partial<FitSettings>;
  preTraining?: Partial<FitSettings>;
  /** How the truth is cut for the papers' rule. Default: by the study's tokenizer to the model's target length. */
  scoring: Pick<ScoreOptions, 'tokenizer' | 'maxTokens' | 'specialTokens'>;
}

/** The score of a scenario at one width, over its seeds. */
export interface ScenarioScore {
  scenario: RepairScenario;
  width: number;
  samples: number;
  seeds: { seed: string; perfectPrediction: number; perfectPredictionStrict: number }[];
  /** Of perfect prediction by the papers' rule and the strict one; 0 to 1. Deviations are absent for one seed. */
  mean: { paper: number; strict: number };
  deviation: { paper?: number; strict?: number };
  topTen: RepairReport['topTen'];
}

/** RQ1's score on test samples that stand in its training set word for word, and on the others. */
export interface LeakScore {
  leaked: { samples: number; mean: number };
  clean: { samples: number; mean: number };
}

export interface RepairStudyResults {
  schema: 'redef.repair-study/1';
  composition: ({ scenario: RepairScenario; train: number; validation: number; test: number } & Pick<
    RepairSplit,
    'removed'
  >)[];
  scores: ScenarioScore[];
  leaks?: LeakScore;
}

export interface RepairCellEvent {
  type: 'cell';
  scenario: RepairScenario;
  seed: number;
  score: number;
  width: number;
}

/**
 * Runs the scenarios one after the other, each for every seed.
 *
 * @throws `RedefError` `invalid-option`, and what training and decoding throw; run it again and it goes on
 */
export async function runRepairStudy(
  study: RepairStudy,
  { signal, onEvent }: RunOptions<ProgressEvent | RepairCellEvent> = {},
): Promise<RepairStudyResults> {
  const { folder, rows, bugFixes, seeds = paperSeeds, width = 50, scoring, model } = study;
  const widths = study.widths ?? [1, 3, 5, 10, 20, 30, 40, 50];
  const validation = study.validation ?? publishedValidation;
  const wanted = study.scenarios ?? repairScenarios.filter((name) => name in dataScenarios || bugFixes !== undefined);
  const options = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  const settings = { ...fineTuningSettings, ...study.settings };
  if (!bugFixes && wanted.some((name) => !(name in dataScenarios))) {
    throw new RedefError('bug-fix and transfer need a corpus to pre-train on', {
      code: 'invalid-option',
      remedy: 'Name one (--bug-fix, bugFixes), or leave those scenarios out.',
    });
  }
  const results: RepairStudyResults = { schema: 'redef.repair-study/1', composition: [], scores: [] };

  for (const scenario of wanted) {
    const split = await splitFor(scenario in dataScenarios ? (scenario as DataScenario) : 'RQ3B', rows, validation);
    const training = scenario === 'bug-fix' ? bugFixSplit() : split;
    results.composition.push({
      scenario,
      train: training.train.length,
      validation: training.validation.length,
      test: split.test.length,
      removed: scenario === 'bug-fix' ? {} : split.removed,
    });
    const found = new Map<number, RepairPredictions[]>(); // by width, of all seeds
    for (const seed of scenario === 'bug-fix' ? seeds.slice(0, 1) : seeds) {
      const modelFolder = scenario === 'bug-fix' ? await preTrained() : join(folder, scenario, `seed-${seed}`, 'model');
      if (scenario !== 'bug-fix') {
        const start = scenario === 'transfer' ? { folder: await preTrained() } : model;
        await trainCell({ folder: modelFolder, start, split, seed, settings }, study, options);
      }
      for (const beams of scenario in dataScenarios ? [width] : widths) {
        const cell = join(folder, scenario, `seed-${seed}`, `beam-${beams}`);
        const predictions = await predictCell(
          { folder: cell, model: modelFolder, test: split.test, seed, width: beams },
          study,
          options,
        );
        found.set(beams, [...(found.get(beams) ?? []), ...predictions]);
        const { summary } = scoreRepairs(split.test, predictions, { ...scoring, topK: [] });
        onEvent?.({ type: 'cell', scenario, seed, width: beams, score: summary.mean.perfectPrediction ?? 0 });
      }
    }
    for (const [beams, predictions] of found) {
      const report = scoreRepairs(split.test, predictions, { ...scoring, topK: [] });
      results.scores.push(summarise(scenario, beams, report));
      if (scenario === 'RQ1') results.leaks = leakScore(split, report);
    }
  }
  return results;

  function bugFixSplit(): Pick<RepairSplit, 'train' | 'validation'> {
    return { train: [...bugFixes!.train], validation: [...bugFixes!.validation] };
  }

  /** Pre-training is done once, with the first seed (R+R, table XXXI). */
  async function preTrained(): Promise<string> {
    const target = join(folder, 'bug-fix', 'model');
    const preTraining = { ...preTrainingSettings, ...study.preTraining };
    await trainCell(
      { folder: target, start: model, split: bugFixSplit(), seed: seeds[0]!, settings: preTraining },
      study,
      options,
    );
    return target;
  }
}

function summarise(scenario: RepairScenario, width: number, report: RepairReport): ScenarioScore {
  const { mean, deviation } = report.summary;
  const both = ({ perfectPrediction: paper, perfectPredictionStrict: strict }: Record<string, number>) => ({
    ...(paper !== undefined && { paper }),
    ...(strict !== undefined && { strict }),
  });
  return {
    scenario,
    width,
    samples: report.samples,
    seeds: report.seeds.map(({ seed, metrics }) => ({
      seed,
      perfectPrediction: metrics.perfectPrediction!,
      perfectPredictionStrict: metrics.perfectPredictionStrict!,
    })),
    mean: { paper: 0, strict: 0, ...both(mean) },
    deviation: both(deviation),
    topTen: report.topTen,
  };
}

function leakScore({ train, validation, test }: RepairSplit, { scores }: RepairReport): LeakScore {
  const keyOf = ({ source, target }: RepairRow) => JSON.stringify([source, target]);
  const known = new Set([...train, ...validation].map(keyOf));
  const leakedIds = new Set(test.filter((row) => known.has(keyOf(row))).map(({ id }) => id));
  const part = (isLeaked: boolean) => {
    const own = scores.filter(({ id }) => leakedIds.has(id) === isLeaked);
    const right = own.filter(({ paperRank }) => paperRank !== undefined).length;
    return {
      samples: isLeaked ? leakedIds.size : test.length - leakedIds.size,
      mean: own.length === 0 ? 0 : right / own.length,
    };
  };
  return { leaked: part(true), clean: part(false) };
}
