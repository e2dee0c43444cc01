import type { StudyResults } from '../results.js';
import type { EncodingComparison } from '../statistics.js';
import type { StatisticsSettings } from '../statistics-settings.js';
import { tableMetricNames } from '../trivial.js';
import { anovaSentence } from './anova-sentence.js';
import { signed } from './format.js';
import { unansweredSentences } from './unanswered.js';
import { uncomparedSentences } from './uncompared.js';

/** The results in plain sentences, each computed from the tables and tests. */
export function findings(results: StudyResults): string[] {
  const { cells, missing } = results;
  if (cells.length === 0) return [missing.length > 0 ? noResults(results) : noTest];
  return [
    ...dataSentences(results),
    ...auditSentences(results),
    ...baselineSentences(results),
    ...overModelsSentences(results),
    ...encodingSentences(results),
    ...counterfactualSentences(results),
    ...uncomparedSentences(results),
    ...unansweredSentences(results),
    ...undefinedSentences(results),
    ...missingSentences(results),
    ...foldSentences(results),
    ...unevenSentences(results),
    ...limitSentences(results),
  ];
}

const noTest = 'No change reached the test split, so nothing can be said of any model.';

function noResults({ missing }: StudyResults): string {
  const why = missing.find(({ error }) => error)?.error?.message;
  return `None of ${missing.length} planned runs has a result, so nothing can be said of any model.${why === undefined ? '' : ` The first that failed: ${why}.`}`;
}

function dataSentences({ cells, data }: StudyResults): string[] {
  const sets = [...new Map(cells.map((cell) => [cell.fold, cell])).values()];
  if (sets.some((cell) => cell.n === undefined || cell.positives === undefined)) return [];
  const n = sets.reduce((sum, cell) => sum + cell.n!, 0);
  const positives = sets.reduce((sum, cell) => sum + cell.positives!, 0);
  const few =
    positives < 30
      ? ' That is few: read every figure below with its spread over seeds, and as no more than a sketch.'
      : '';
  const kept = data
    ? `${data.splits[0]!.dedup.counts.kept} labelled changes remain after duplicates and contradictions are removed; `
    : '';
  const sentence = `${kept}${sets.length > 1 ? `the ${sets.length} test sets have` : 'the test set has'} ${n} changes, of which ${positives} are defective (${percent(positives / n)}).${few}`;
  return [`${sentence[0]!.toUpperCase()}${sentence.slice(1)}`];
}

function auditSentences({ data }: StudyResults): string[] {
  const precision = data?.audit?.precision;
  if (!precision || precision.value === null || !precision.interval) return [];
  const { low, high } = precision.interval;
  return [
    `Audit of the labels: ${precision.title}, ${precision.count} of ${precision.of}, ${percent(precision.value)} (95% interval ${percent(low)} to ${percent(high)}).`,
  ];
}

function baselineSentences({ conditions, trivial }: StudyResults): string[] {
  const allDefective = trivial.find(({ name }) => name === 'all defective');
  const stage1 = conditions.filter(({ counterfactual }) => counterfactual === undefined);
  return unique(stage1.map(({ model }) => model)).map((model) => {
    const mine = stage1.filter((condition) => condition.model === model);
    const best = mine.reduce((a, b) => (b.mean.f1 > a.mean.f1 ? b : a));
    if (best.mean.f1 === 0) return `${model}: F1 is 0 on every encoding: no run finds a defective change.`;
    const above = mine.filter(({ mean }) => allDefective && mean.f1 > allDefective.f1).length;
    return (
      `${model}: the best encoding is ${best.encoding} with F1 ${best.mean.f1.toFixed(4)}` +
      (allDefective
        ? `; calling every change defective scores ${allDefective.f1.toFixed(4)}, and ` +
          `${above === 0 ? 'no encoding beats that' : `${above} of ${mine.length} encodings beat that`}.`
        : '.')
    );
  });
}

function overModelsSentences({ statistics }: StudyResults): string[] {
  const { anova, mainEffect, settings } = statistics;
  if (!anova || !mainEffect) return [];
  return [
    `${anovaSentence(statistics)} On the means over its models: ${pairsSentence(mainEffect.comparisons, settings)}`,
  ];
}

function encodingSentences({ statistics: { encodings, settings } }: StudyResults): string[] {
  return unique(encodings.map(({ model }) => model)).map(
    (model) =>
      `${model}: ${pairsSentence(
        encodings.filter((pair) => pair.model === model),
        settings,
      )}`,
  );
}

/** What the tests of one family say; a pair that cannot be tested is not in it, and is no pair that does not differ. */
function pairsSentence(pairs: readonly EncodingComparison[], settings: StatisticsSettings): string {
  const tested = pairs.filter(({ test }) => test !== null);
  const because = 'without a spread over seeds of the difference there is no test';
  if (tested.length === 0) return `no pair of encodings can be tested: ${because}.`;
  const all = tested.length === pairs.length;
  const others = all ? '' : ` ${pairs.length - tested.length} cannot be tested: ${because}.`;
  const ofThose = `of the ${tested.length} pairs of encodings that can be tested`;
  const clear = tested.flatMap(({ first, second, test, pHolm }) => {
    if (!test || pHolm === null || pHolm >= settings.significance) return [];
    return test.meanDifference > 0 ? `${first} over ${second}` : `${second} over ${first}`;
  });
  if (clear.length === 0) {
    return `${all ? 'no pair of encodings' : `none ${ofThose}`} differs beyond the spread over seeds.${others}`;
  }
  const count = all ? `${clear.length} of ${pairs.length} pairs of encodings` : `${clear.length} ${ofThose}`;
  return `${count} differ at ${below(settings)} after Holm: ${clear.join('; ')}.${others}`;
}

function counterfactualSentences({ statistics, conditions }: StudyResults): string[] {
  const { equivalenceMargin, significance } = statistics.settings;
  return statistics.counterfactuals.map(
    ({ model, counterfactual, encoding, meanDifference, pHolm, equivalence, n }) => {
      const original = conditions.find(
        (condition) => condition.model === model && condition.encoding === encoding && !condition.counterfactual,
      );
      if (original?.mean.f1 === 0) {
        return `${counterfactual} cannot make ${model}'s F1 on ${encoding} fall: it is 0 without it.`;
      }
      if (meanDifference === 0 && pHolm === null) {
        return `${counterfactual} leaves ${model}'s F1 on ${encoding} exactly as it is, on ${seedsOf(n)} of ${n}.`;
      }
      const change = `${counterfactual} changes ${model}'s F1 on ${encoding} by ${signed(-meanDifference)} over ${seedsOf(n)}`;
      if (pHolm === null) return `${change}; there is no spread to test it against.`;
      const p = below(statistics.settings);
      const falls = pHolm < significance && `${change}, a fall beyond the spread over seeds (${p} after Holm)`;
      if (equivalence?.equivalent) {
        return falls
          ? `${falls}, yet one of less than ${equivalenceMargin} (${p}), so it is negligible in practice.`
          : `${change}: less than ${equivalenceMargin} either way (${p}), so it is unchanged in practice.`;
      }
      return falls
        ? `${falls}.`
        : `${change}; neither a fall nor equality within ${equivalenceMargin} can be told from the spread over seeds.`;
    },
  );
}

/** The other metrics of a run, such as MCC, stand in no table. */
function undefinedSentences({ cells }: StudyResults): string[] {
  const count = cells.filter(({ undefinedBecause }) => tableMetricNames.some((name) => undefinedBecause[name])).length;
  return count === 0
    ? []
    : [
        `${count} of ${cells.length} runs leave a metric of the tables undefined; it is counted at its stated value (results.json names them).`,
      ];
}

function missingSentences({ missing }: StudyResults): string[] {
  if (missing.length === 0) return [];
  const failed = missing.filter(({ error }) => error).length;
  return [
    `${missing.length} planned runs have no result (${failed} failed, ${missing.length - failed} not run yet); the comparisons above are over the seeds that both sides have.`,
  ];
}

function foldSentences({ data, folds, conditions }: StudyResults): string[] {
  const untested = (data?.splits ?? []).flatMap(({ fold }) => (fold === undefined || folds.includes(fold) ? [] : fold));
  return [
    ...(untested.length > 0
      ? [`No change of ${untested.join(', ')} reached its test set: the means are over the other projects.`]
      : []),
    ...(folds.length > 0 && conditions.length === 0
      ? [
          `No model has a result on all ${folds.length} projects left out with one seed, so there is no mean to compare.`,
        ]
      : []),
  ];
}

/** Imported rows may lack cells that nobody planned. */
function unevenSentences({ data, conditions }: StudyResults): string[] {
  if (data) return [];
  return unique(conditions.map(({ model }) => model)).flatMap((model) => {
    const seeds = conditions.filter((condition) => condition.model === model).map((condition) => condition.seeds);
    const all = new Set(seeds.flat()).size;
    const lacking = seeds.filter(({ length }) => length < all).length;
    return lacking === 0
      ? []
      : [
          `${model}: ${lacking} of ${seeds.length} conditions lack some of its ${seedsOf(all)}; each comparison is over the seeds that both sides have.`,
        ];
  });
}

/** What a p-value here does not cover. */
function limitSentences({ statistics: { encodings, counterfactuals } }: StudyResults): string[] {
  const tests = [...encodings.map(({ test }) => test), ...counterfactuals.map(({ tTest }) => tTest)];
  return tests.some((test) => test !== null)
    ? [
        'All tests compare seeds on the same test changes: they tell of chance in training, not of how the figures would move on other changes.',
      ]
    : [];
}

const below = ({ significance }: StatisticsSettings): string => `p < ${String(significance).replace(/^0/, '')}`;
const seedsOf = (n: number): string => `${n} seed${n === 1 ? '' : 's'}`;
const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;
const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
