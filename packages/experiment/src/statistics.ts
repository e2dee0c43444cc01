import { createRng, RedefError } from '@redef/core';
import {
  type BootstrapResult,
  bootstrapMeanDifference,
  type EquivalenceResult,
  equivalenceTest,
  holm,
  type PairedTTestResult,
  pairedTTest,
  type WilcoxonResult,
  wilcoxonSignedRank,
} from '@redef/stats';
import { type AnovaOverModels, anovaOverModels } from './anova.js';
import { shownName } from './cells/cell.js';
import type { CellResult } from './evaluate.js';
import { defaultStatistics, type StatisticsSettings } from './statistics-settings.js';

/** Two encodings of one model, compared over the same seeds. */
export interface EncodingComparison {
  model: string;
  first: string;
  second: string;
  /** `null` where the difference is the same on every seed, or one seed has both: there is no spread to test it against. */
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
  /** Of the t-test, Holm-adjusted over the counterfactuals of the model; `null` with it. */
  pHolm: number | null;
  /** Of Wilcoxon's test, in the same way. */
  wilcoxonPHolm: number | null;
}

export interface StudyStatistics extends AnovaOverModels {
  settings: StatisticsSettings;
  /** Encoding pairs on the means over the models of the ANOVA, a Holm family of their own; `null` without one. */
  mainEffect: { comparisons: EncodingComparison[] } | null;
  /** Encoding pairs within each model. */
  encodings: EncodingComparison[];
  counterfactuals: CounterfactualComparison[];
}

/**
 * The tests of ReDef, section 4.4, on F1. The bootstrap draws from a stream fixed by `seed`.
 *
 * @param baselines models that stay out of the ANOVA
 */
export function studyStatistics(
  cells: readonly CellResult[],
  seed: number | string,
  settings: StatisticsSettings = defaultStatistics,
  baselines: readonly string[] = [],
): StudyStatistics {
  const originals = cells.filter(({ counterfactual }) => counterfactual === undefined);
  const models = unique(originals.map(({ model }) => model));
  const { means, ...anova } = anovaOverModels(originals, baselines);
  return {
    settings,
    ...anova,
    mainEffect: anova.anova && { comparisons: compareEncodings(means) },
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
  const adjusted = holmOver(comparisons.map(({ test }) => test));
  return comparisons.map((comparison, i) => ({ ...comparison, pHolm: adjusted[i] ?? null }));
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
        wilcoxonPHolm: null,
      },
    ];
  });
  const pHolm = holmOver(comparisons.map(({ tTest }) => tTest));
  const wilcoxonPHolm = holmOver(comparisons.map(({ wilcoxon }) => wilcoxon));
  return comparisons.map((comparison, i) => ({
    ...comparison,
    pHolm: pHolm[i] ?? null,
    wilcoxonPHolm: wilcoxonPHolm[i] ?? null,
  }));
}

/** Holm-adjusted p-values of a family, which is the tests that could be made; `null` at the others. */
function holmOver(tests: readonly ({ p: number } | null)[]): (number | null)[] {
  const adjusted = holm(tests.flatMap((test) => (test ? [test.p] : []))).values();
  return tests.map((test) => (test ? adjusted.next().value! : null));
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

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
