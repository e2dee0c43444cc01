import { createRng, RedefError } from '@redef/core';
import {
  type BootstrapResult,
  bootstrapMeanDifference,
  type EquivalenceResult,
  equivalenceTest,
  holm,
  type PairedTTestResult,
  type PostHocFamily,
  pairedTTest,
  postHocPairs,
  type RmAnova2Result,
  rmAnova2,
  type WilcoxonResult,
  wilcoxonSignedRank,
} from '@redef/stats';
import { shownName } from './cells/cell.js';
import type { CellResult } from './evaluate.js';
import { defaultStatistics, type StatisticsSettings } from './statistics-settings.js';

/** Two encodings of one model, compared over the same seeds. */
export interface EncodingComparison {
  model: string;
  first: string;
  second: string;
  /** `null` where the two have the same F1 on every seed: there is nothing to test. */
  test: PairedTTestResult | null;
  /** Holm-adjusted within the model; `null` with the test. */
  pHolm: number | null;
}

/** A counterfactual against the encoding it distorts, over the same seeds; differences are original minus distorted F1. */
export interface CounterfactualComparison {
  model: string;
  encoding: string;
  counterfactual: string;
  meanDifference: number;
  /** Number of seeds. */
  n: number;
  /** H1: the original is better. `null` where no seed differs. */
  tTest: PairedTTestResult | null;
  wilcoxon: WilcoxonResult | null;
  bootstrap: BootstrapResult | null;
  /** Is the difference within ±the margin of equivalence? `null` where no seed differs. */
  equivalence: EquivalenceResult | null;
  /** Holm-adjusted over the counterfactuals of the model; `null` with the t-test. */
  pHolm: number | null;
}

export interface StudyStatistics {
  settings: StatisticsSettings;
  /**
   * Model x encoding, F1, seeds as subjects, over the encodings and seeds that all models have in common; `null` where a
   * factor has one level or there are under two seeds.
   */
  anova: RmAnova2Result | null;
  /** Why there is no ANOVA. */
  anovaAbsent?: string;
  /** Encoding pairs on the means over models, where there is an ANOVA. */
  mainEffect: PostHocFamily | null;
  /** Encoding pairs within each model. */
  encodings: EncodingComparison[];
  counterfactuals: CounterfactualComparison[];
}

/** The tests of ReDef, section 4.4, on F1. The bootstrap draws from a stream fixed by `seed`. */
export function studyStatistics(
  cells: readonly CellResult[],
  seed: number | string,
  settings: StatisticsSettings = defaultStatistics,
): StudyStatistics {
  const originals = cells.filter(({ counterfactual }) => counterfactual === undefined);
  const models = unique(originals.map(({ model }) => model));
  return {
    settings,
    ...anovaOf(originals),
    encodings: models.flatMap((model) => compareEncodings(originals.filter((cell) => cell.model === model))),
    counterfactuals: models.flatMap((model) =>
      compareCounterfactuals(
        cells.filter((cell) => cell.model === model),
        seed,
        settings,
      ),
    ),
  };
}

function anovaOf(cells: readonly CellResult[]): Pick<StudyStatistics, 'anova' | 'anovaAbsent' | 'mainEffect'> {
  const models = unique(cells.map(({ model }) => model));
  if (models.length < 2) return none('one model: there is no model factor to cross with encoding');
  const encodings = inCommon(
    models.map((model) => cells.filter((cell) => cell.model === model).map(({ encoding }) => encoding)),
  );
  if (encodings.length < 2) return none('the models have fewer than two encodings in common');
  const conditions = models.flatMap((model) => encodings.map((encoding) => ({ model, encoding })));
  const seeds = inCommon(
    conditions.map(({ model, encoding }) =>
      cells.filter((cell) => cell.model === model && cell.encoding === encoding).map(({ seed }) => seed),
    ),
  );
  if (seeds.length < 2) return none('fewer than two seeds are in common: repeated measures need at least two');
  const f1 = new Map(cells.map((cell) => [JSON.stringify([cell.seed, cell.model, cell.encoding]), cell.f1]));
  const values = seeds.map((seed) =>
    models.map((model) => encodings.map((encoding) => f1.get(JSON.stringify([seed, model, encoding]))!)),
  );
  const factors = [
    { name: 'model', levels: models },
    { name: 'encoding', levels: encodings },
  ] as const;
  try {
    const { mainEffect } = postHocPairs(values, { factors, compare: 'encoding' });
    return { anova: rmAnova2(values, { factors }), mainEffect };
  } catch (error) {
    if (RedefError.isInstance(error)) return none(error.message);
    throw error;
  }
}

const none = (anovaAbsent: string) => ({ anova: null, anovaAbsent, mainEffect: null });

function compareEncodings(cells: readonly CellResult[]): EncodingComparison[] {
  const encodings = unique(cells.map(({ encoding }) => encoding));
  const comparisons = encodings.flatMap((first, position) =>
    encodings.slice(position + 1).map((second): EncodingComparison => {
      const { a, b } = bySeed(
        cells.filter(({ encoding }) => encoding === first),
        cells.filter(({ encoding }) => encoding === second),
      );
      return { model: cells[0]!.model, first, second, test: whereDifferent(() => pairedTTest(a, b)), pHolm: null };
    }),
  );
  return withHolm(comparisons, ({ test }) => test);
}

function compareCounterfactuals(
  cells: readonly CellResult[],
  seed: number | string,
  { significance, resamples, confidence, equivalenceMargin }: StatisticsSettings,
): CounterfactualComparison[] {
  const shown = unique(cells.flatMap((cell) => (cell.counterfactual === undefined ? [] : shownName(cell))));
  const comparisons = shown.flatMap((name): CounterfactualComparison[] => {
    const distorted = cells.filter((cell) => cell.counterfactual !== undefined && shownName(cell) === name);
    const { model, encoding } = distorted[0]!;
    const counterfactual = distorted[0]!.counterfactual!;
    const originals = cells.filter((cell) => cell.counterfactual === undefined && cell.encoding === encoding);
    const { a, b } = bySeed(originals, distorted);
    if (a.length === 0) return [];
    const alternative = 'greater';
    const rng = createRng(seed).fork('bootstrap').fork(`${model} ${name}`);
    return [
      {
        model,
        encoding,
        counterfactual,
        meanDifference: a.reduce((sum, value, i) => sum + value - b[i]!, 0) / a.length,
        n: a.length,
        tTest: whereDifferent(() => pairedTTest(a, b, { alternative })),
        wilcoxon: whereDifferent(() => wilcoxonSignedRank(a, b, { alternative })),
        bootstrap: whereDifferent(() => bootstrapMeanDifference(a, b, { rng, resamples, level: confidence })),
        equivalence: whereDifferent(() => equivalenceTest(a, b, { margin: equivalenceMargin, alpha: significance })),
        pHolm: null,
      },
    ];
  });
  return withHolm(comparisons, ({ tTest }) => tTest);
}

function withHolm<C extends { pHolm: number | null }>(
  comparisons: readonly C[],
  testOf: (comparison: C) => PairedTTestResult | null,
): C[] {
  const tested = comparisons.filter((comparison) => testOf(comparison) !== null);
  if (tested.length === 0) return [...comparisons];
  const adjusted = holm(tested.map((comparison) => testOf(comparison)!.p));
  return comparisons.map((comparison) => {
    const position = tested.indexOf(comparison);
    return position < 0 ? comparison : { ...comparison, pHolm: adjusted[position]! };
  });
}

/** `null` where the test cannot be made since the differences do not vary, or there is one pair. */
function whereDifferent<T>(test: () => T): T | null {
  try {
    return test();
  } catch (error) {
    if (RedefError.isInstance(error)) return null;
    throw error;
  }
}

/** The F1 of two conditions on the seeds that both have, ascending. */
function bySeed(first: readonly CellResult[], second: readonly CellResult[]): { a: number[]; b: number[] } {
  const other = new Map(second.map(({ seed, f1 }) => [seed, f1]));
  const shared = first.filter(({ seed }) => other.has(seed)).sort((x, y) => x.seed - y.seed);
  return { a: shared.map(({ f1 }) => f1), b: shared.map(({ seed }) => other.get(seed)!) };
}

/** What stands in every list, in the order of the first. */
function inCommon<T>([first = [], ...rest]: readonly (readonly T[])[]): T[] {
  return unique(first).filter((item) => rest.every((list) => list.includes(item)));
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
