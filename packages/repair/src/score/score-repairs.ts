import { RedefError, type Reject } from '@redef/core';
import { applyTarget } from '../format/apply-target.js';
import { cweOf, parseSource } from '../format/parse-sample.js';
import type { SyntaxCheck } from '../syntax/c-syntax.js';
import { type CodeBleu, type CodeBleuOptions, type CodePair, codeBleu } from './code-bleu.js';
import { type CweRow, cweTable, type TopTenTable, topTenTable } from './cwe-tables.js';
import { editSimilarity } from './edit-similarity.js';
import { type CutOptions, cutTruth, perfectRank, type TruthTokenizer } from './perfect-prediction.js';
import { type QualityTable, qualityTable, type SampleJudgement } from './quality-table.js';
import { type SeedMetrics, type SeedSummary, summariseSeeds } from './seed-tables.js';

/** One sample as it should have been repaired. */
export interface RepairTruth {
  id: string;
  source: string;
  target: string;
}

/** What one trained model returned for one sample. */
export interface RepairPredictions {
  id: string;
  /** The seed of the model's training; predictions without one belong to one model. */
  seed?: number | string;
  /** Targets, best first. */
  predictions: readonly string[];
}

export interface ScoreOptions extends CutOptions {
  /** Cuts the truth for the papers' rule; without one, that rule sees it whole. */
  tokenizer?: TruthTokenizer;
  /** Sizes for top-k. Default 1, 3, 5, 10, 20, 30, 40, 50; those above the most predictions of a sample are left out. */
  topK?: readonly number[];
  /** Read each best prediction back into its function and count how many are placed. Default false. */
  place?: boolean;
  /** Tokens of context in the targets, for placing them. Default 3. */
  contextTokens?: number;
  /** Checks the syntax of placed functions, and gives CodeBLEU what it needs of a parser: see `@redef/repair/syntax`. */
  syntax?: { check(before: readonly string[], after: readonly string[]): SyntaxCheck } & CodeBleuOptions;
  codeBleu?: CodeBleuOptions;
  /** What people found of the samples, for RQ4B's table. */
  judgements?: readonly SampleJudgement[];
}

/** One sample's score under one seed. */
export interface SampleScore {
  id: string;
  seed: string;
  /** Absent where the source has no tag. */
  cwe?: string;
  /** Predictions returned; 0 where there are none for this sample. */
  returned: number;
  /** Place of the first perfect prediction by each rule, 1-based; absent where there is none. */
  paperRank?: number;
  strictRank?: number;
  /** Of the best prediction; 0 where there is none. */
  editSimilarity: number;
  /** Of the best prediction, where asked for. */
  placement?: 'placed' | 'ambiguous' | 'impossible';
  /** Where it was placed and its syntax was asked for. */
  syntax?: SyntaxCheck;
}

export interface RepairReport {
  /** Samples of the truth: each counts under every seed, with no prediction as wrong. */
  samples: number;
  /** Of them, whose truth the papers' rule sees cut; absent without a tokenizer. */
  truthsCut?: number;
  seeds: SeedMetrics[];
  /** Over the seeds. */
  summary: SeedSummary;
  /** Most samples first. */
  cwes: CweRow[];
  /** R+R, table XIV. */
  topTen: TopTenTable;
  /** Where there are judgements: R+R, table XV. */
  quality?: QualityTable;
  scores: SampleScore[];
  /** Predictions for samples that are not in the truth. */
  rejects: Reject[];
}

/**
 * Scores the predictions of one or more trained models against one truth (R+R, sections 3.3 and 3.5): perfect
 * prediction by the papers' rule and by the strict one, top-k, edit similarity and CodeBLEU of the best prediction, for
 * every seed, over the seeds, and for every CWE.
 *
 * @throws `RedefError` `duplicate-id` where a truth, or a sample's predictions under one seed, come twice
 */
export function scoreRepairs(
  truths: Iterable<RepairTruth>,
  predictions: Iterable<RepairPredictions>,
  options: ScoreOptions = {},
): RepairReport {
  const byId = new Map<string, RepairTruth & { cut: string }>();
  const { tokenizer } = options;
  let truthsCut = 0;
  for (const truth of truths) {
    if (byId.has(truth.id)) throw duplicate(`the truth has sample ${truth.id} twice`);
    const cut = tokenizer ? cutTruth(truth.target, tokenizer, options) : truth.target;
    if (tokenizer && cutTruth(truth.target, tokenizer, { ...options, maxTokens: Number.MAX_SAFE_INTEGER }) !== cut) {
      truthsCut++;
    }
    byId.set(truth.id, { ...truth, cut });
  }

  const rejects: Reject[] = [];
  const bySeed = new Map<string, Map<string, readonly string[]>>();
  for (const { id, seed = 'none', predictions: returned } of predictions) {
    if (!byId.has(id)) {
      rejects.push({ schema: 'redef.reject/1', id, stage: 'score', reason: 'no-such-sample' });
      continue;
    }
    const ofSeed = bySeed.get(String(seed)) ?? new Map<string, readonly string[]>();
    bySeed.set(String(seed), ofSeed);
    if (ofSeed.has(id)) throw duplicate(`sample ${id} has predictions twice under seed ${seed}`);
    ofSeed.set(id, returned);
  }

  const scores: SampleScore[] = [];
  const seeds: SeedMetrics[] = [];
  for (const seed of [...bySeed.keys()].sort(bySeedValue)) {
    const returned = bySeed.get(seed)!;
    const ofSeed = [...byId.values()].map((truth) => scoreSample(truth, seed, returned.get(truth.id) ?? [], options));
    const pairs = [...byId.values()].map(({ id, target }) => ({
      candidate: returned.get(id)?.[0] ?? '',
      reference: target,
    }));
    seeds.push(seedMetrics(seed, ofSeed, pairs, options));
    for (const score of ofSeed) scores.push(score);
  }
  return {
    samples: byId.size,
    ...(tokenizer ? { truthsCut } : {}),
    seeds,
    summary: summariseSeeds(seeds),
    cwes: cweTable(scores),
    topTen: topTenTable(scores),
    ...(options.judgements && { quality: qualityTable(scores, options.judgements) }),
    scores,
    rejects,
  };
}

function scoreSample(
  { id, source, target, cut }: RepairTruth & { cut: string },
  seed: string,
  predictions: readonly string[],
  { place = false, contextTokens = 3, syntax }: ScoreOptions,
): SampleScore {
  const score: SampleScore = { id, seed, returned: predictions.length, editSimilarity: 0 };
  const cwe = cweOf(source);
  if (cwe !== undefined) score.cwe = cwe;
  const paperRank = perfectRank(predictions, cut, 'paper');
  const strictRank = perfectRank(predictions, target, 'strict');
  if (paperRank !== undefined) score.paperRank = paperRank;
  if (strictRank !== undefined) score.strictRank = strictRank;
  const best = predictions[0];
  if (best === undefined) return score;
  score.editSimilarity = editSimilarity(best.trim(), target.trim());
  if (!place && !syntax) return score;
  const applied = applyTarget(source, best, { contextTokens });
  score.placement = applied.status;
  if (syntax && applied.status === 'placed') score.syntax = syntax.check(parseSource(source).tokens, applied.tokens);
  return score;
}

function seedMetrics(
  seed: string,
  scores: readonly SampleScore[],
  pairs: readonly CodePair[],
  { topK = [1, 3, 5, 10, 20, 30, 40, 50], place = false, syntax, codeBleu: bleuOptions }: ScoreOptions,
): SeedMetrics {
  const most = scores.reduce((largest, { returned }) => Math.max(largest, returned), 0);
  const share = (holds: (score: SampleScore) => boolean): number =>
    scores.length === 0 ? 0 : scores.filter(holds).length / scores.length;
  const metrics: Record<string, number> = {
    perfectPrediction: share(({ paperRank }) => paperRank !== undefined),
    perfectPredictionStrict: share(({ strictRank }) => strictRank !== undefined),
  };
  for (const k of topK) {
    if (k > most) continue;
    metrics[`top${k}`] = share(({ paperRank }) => paperRank !== undefined && paperRank <= k);
    metrics[`top${k}Strict`] = share(({ strictRank }) => strictRank !== undefined && strictRank <= k);
  }
  metrics.editSimilarity =
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score.editSimilarity, 0) / scores.length;
  const bleu: CodeBleu = codeBleu(pairs, { ...syntax, ...bleuOptions });
  metrics.codeBleuNgram = bleu.ngram;
  metrics.codeBleuWeightedNgram = bleu.weightedNgram;
  if (bleu.syntax !== undefined) metrics.codeBleuSyntax = bleu.syntax;
  if (bleu.dataFlow !== undefined) metrics.codeBleuDataFlow = bleu.dataFlow;
  if (bleu.score !== undefined) metrics.codeBleu = bleu.score;
  if (place || syntax) {
    metrics.placed = share(({ placement }) => placement === 'placed');
    metrics.ambiguous = share(({ placement }) => placement === 'ambiguous');
  }
  if (syntax) {
    metrics.validSyntax = share((score) => score.syntax?.valid === true);
    metrics.noNewSyntaxError = share(({ syntax }) => syntax !== undefined && syntax.errorsAfter <= syntax.errorsBefore);
  }
  return { seed, samples: scores.length, missing: scores.filter(({ returned }) => returned === 0).length, metrics };
}

/** Numbers in their order before words in code-unit order. */
function bySeedValue(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (!Number.isNaN(difference) && difference !== 0) return difference;
  return Number(Number.isNaN(Number(a))) - Number(Number.isNaN(Number(b))) || (a < b ? -1 : a > b ? 1 : 0);
}

function duplicate(message: string): RedefError {
  return new RedefError(message, {
    code: 'duplicate-id',
    remedy: 'Give each sample one id and each sample one row of predictions for each seed.',
  });
}
