import type { Prediction } from '@redef/core';
import { expect, test } from 'vitest';
import { averageFolds, type CellResult, evaluateCell, summarise } from './evaluate.js';
import { studyStatistics } from './statistics.js';
import { trivialPredictors } from './trivial.js';

const cell = (encoding: string, seed: number, f1: number, counterfactual?: string, model = 'm'): CellResult => ({
  model,
  encoding,
  ...(counterfactual !== undefined && { counterfactual }),
  seed,
  n: 10,
  positives: 2,
  f1,
  prAuc: 0.5,
  accuracy: 0.5,
  precision: 0.5,
  recall: 0.5,
  undefinedBecause: {},
});
const seeds = [1, 2, 3, 4, 5];
const wobble = [0.01, -0.02, 0.015, 0, -0.005];

test('a cell is scored on the test split alone, at its own threshold', () => {
  const row = (id: string, truth: 0 | 1, score: number, split: Prediction['split'] = 'test'): Prediction => ({
    schema: 'redef.prediction/1',
    id,
    model: 'm',
    encoding: 'e',
    seed: 1,
    split,
    truth,
    score,
    threshold: 0.3,
  });
  const predictions = [
    row('a', 1, 0.9),
    row('b', 1, 0.2),
    row('c', 0, 0.3),
    row('d', 0, 0.1),
    row('e', 1, 1, 'validation'),
  ];
  expect(evaluateCell(predictions)).toMatchObject({
    n: 4,
    positives: 2,
    f1: 0.5,
    precision: 0.5,
    recall: 0.5,
    accuracy: 0.5,
  });
});

test('conditions keep their order, with mean and sample deviation over the seeds', () => {
  const [b, a] = summarise([cell('b', 1, 0.2), cell('a', 1, 0.9), cell('b', 2, 0.4)]);
  expect([b!.encoding, b!.seeds, b!.mean.f1, b!.standardDeviation.f1]).toEqual([
    'b',
    [1, 2],
    expect.closeTo(0.3, 12),
    expect.closeTo(Math.SQRT2 / 10, 12),
  ]);
  expect([a!.encoding, a!.standardDeviation.f1]).toEqual(['a', 0]);
});

test('a clear difference is found, an equal pair is not testable, and Holm counts the tested ones only', () => {
  const cells = seeds.flatMap((seed, i) => [
    cell('good', seed, 0.6 + wobble[i]!),
    cell('bad', seed, 0.3 - wobble[i]!),
    cell('same', seed, 0.6 + wobble[i]!),
  ]);
  const { encodings, anova, anovaAbsent } = studyStatistics(cells, 1);
  expect([anova, anovaAbsent]).toEqual([null, 'one model: there is no model factor to cross with encoding']);
  const pair = (first: string, second: string) => encodings.find((c) => c.first === first && c.second === second)!;
  expect(pair('good', 'bad').test!.meanDifference).toBeCloseTo(0.3, 10);
  expect(pair('good', 'bad').pHolm!).toBeCloseTo(2 * pair('good', 'bad').test!.p, 12);
  expect([pair('good', 'same').test, pair('good', 'same').pHolm]).toEqual([null, null]);
});

test('a counterfactual is held against its own encoding on the seeds that both have', () => {
  const cells = [
    ...seeds.map((seed, i) => cell('diff', seed, 0.6 + wobble[i]!)),
    ...seeds.slice(1).map((seed) => cell('diff', seed, 0.2, 'reversed')),
  ];
  const [found] = studyStatistics(cells, 1).counterfactuals;
  expect(found).toMatchObject({ counterfactual: 'reversed', encoding: 'diff', n: 4 });
  expect(found!.meanDifference).toBeCloseTo(0.4 + (-0.02 + 0.015 - 0.005) / 4, 12);
  expect(found!.tTest!.p).toBeLessThan(0.001);
  expect(found!.wilcoxon!.p).toBe(1 / 16);
  expect(found!.pHolm).toBe(found!.tTest!.p);
  expect(found!.bootstrap!.interval.low).toBeGreaterThan(0.37);
  expect(studyStatistics(cells, 1)).toEqual(studyStatistics(cells, 1));
});

test('Holm adjusts the p-values of Wilcoxon within the family of the t-tests', () => {
  // F1 lost in thousandths on each of ten seeds: the negative rank, or the zeros too, give the p-values below.
  const lost: Record<string, number[]> = {
    every: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    zeros: [1, 2, 3, 4, 5, -6, 7, 8, 0, 0],
    fifth: [1, 2, 3, 4, -5, 6, 7, 8, 9, 10],
    ninth: [1, 2, 3, 4, 5, 6, 7, 8, -9, 10],
    none: Array(10).fill(0),
  };
  const cells = lost.every!.flatMap((_, seed) => [
    cell('e', seed, 0.5),
    ...Object.entries(lost).map(([name, by]) => cell('e', seed, 0.5 - by[seed]! / 1000, name)),
  ]);
  const { counterfactuals } = studyStatistics(cells, 1);
  expect(counterfactuals.map(({ wilcoxon }) => wilcoxon?.p)).toEqual([
    1 / 1024,
    14 / 256,
    10 / 1024,
    33 / 1024,
    undefined,
  ]);
  // R 4.2.2: p.adjust(c(1/1024, 14/256, 10/1024, 33/1024), 'holm')
  expect(counterfactuals.map(({ wilcoxonPHolm }) => wilcoxonPHolm)).toEqual([
    0.00390625,
    0.064453125,
    0.029296875,
    0.064453125,
    null,
  ]);
});

test('the settings of the tests are those of the paper, and may be others', () => {
  const cells = seeds.flatMap((seed, i) => [
    cell('e', seed, 0.5 + wobble[i]!),
    cell('e', seed, 0.48 - wobble[i]!, 'c'),
  ]);
  const usual = studyStatistics(cells, 1);
  expect(usual.settings).toEqual({ significance: 0.05, resamples: 10_000, confidence: 0.95, equivalenceMargin: 0.01 });
  const [first] = usual.counterfactuals;
  expect(first!.equivalence).toMatchObject({ margin: [-0.01, 0.01], alpha: 0.05, equivalent: false });
  const settings = { significance: 0.1, resamples: 500, confidence: 0.5, equivalenceMargin: 0.2 };
  const [other] = studyStatistics(cells, 1, settings).counterfactuals;
  expect(other!.equivalence).toMatchObject({ margin: [-0.2, 0.2], alpha: 0.1, equivalent: true });
  const width = ({ bootstrap }: NonNullable<typeof other>) => bootstrap!.interval.high - bootstrap!.interval.low;
  expect(width(other!)).toBeLessThan(width(first!) / 2);
});

test('two models over two encodings get the analysis of variance', () => {
  const cells = ['m', 'n'].flatMap((model) =>
    seeds.flatMap((seed, i) => [
      cell('a', seed, 0.5 + wobble[i]!, undefined, model),
      cell('b', seed, 0.3 + wobble[(i * 2) % 5]! * (model === 'm' ? 1 : 2), undefined, model),
    ]),
  );
  const { anova } = studyStatistics(cells, 1);
  expect(anova!.effects.map(({ name, dfNumerator, dfDenominator }) => [name, dfNumerator, dfDenominator])).toEqual([
    ['model', 1, 4],
    ['encoding', 1, 4],
    ['model × encoding', 1, 4],
  ]);
  expect(anova!.effects[1].p).toBeLessThan(0.001);
  const lacking = studyStatistics(cells.slice(1), 1).anova; // one seed less in common
  expect(lacking!.effects[0].dfDenominator).toBe(3);
  const single = cells.filter(({ model, encoding }) => model === 'm' || encoding === 'a');
  expect(studyStatistics(single, 1).anovaAbsent).toBe('the models have fewer than two encodings in common');
});

/** Two encodings of a model, apart by 0.2 and the wobble of each seed. */
const spread = (model: string, by: number, over: readonly number[] = seeds): CellResult[] =>
  over.flatMap((seed, i) => [
    cell('a', seed, 0.5 + wobble[i]! * by, undefined, model),
    cell('b', seed, 0.3 - wobble[(i * 2) % 5]!, undefined, model),
  ]);
const levels = (cells: readonly CellResult[], baselines?: string[]) => {
  const { anova, anovaLeftOut } = studyStatistics(cells, 1, undefined, baselines);
  return [anova?.factors[0].levels, anovaLeftOut.map(({ model }) => model)];
};

test('a model whose encodings cannot be told apart takes neither the analysis of variance nor the pairs over the models', () => {
  const still = seeds.flatMap((seed) => ['a', 'b'].map((encoding) => cell(encoding, seed, 0.4, undefined, 'still')));
  const { anova, mainEffect, anovaLeftOut, encodings } = studyStatistics([...spread('m', 1), ...still], 1);
  expect(anova!.factors[0].levels).toEqual(['m', 'still']);
  expect(anovaLeftOut).toEqual([]);
  const [pair] = mainEffect!.comparisons;
  expect(pair).toMatchObject({ model: 'all models', first: 'a', second: 'b', test: { n: 5 } });
  expect(pair!.test!.meanDifference).toBeCloseTo(0.1, 12);
  expect(pair!.pHolm).toBe(pair!.test!.p);
  expect(encodings.find(({ model }) => model === 'still')!.test).toBeNull();
});

test('a pair of means without spread is not testable, and Holm counts the others', () => {
  const alike = [...spread('m', 1), ...spread('n', 2)].flatMap((one) =>
    one.encoding === 'a' ? [one, { ...one, encoding: 'c' }] : [one],
  );
  const { anova, mainEffect } = studyStatistics(alike, 1);
  expect(anova!.factors[1].levels).toEqual(['a', 'c', 'b']);
  expect(mainEffect!.comparisons.map(({ first, second, test }) => [first, second, test !== null])).toEqual([
    ['a', 'c', false],
    ['a', 'b', true],
    ['c', 'b', true],
  ]);
  const [, tested] = mainEffect!.comparisons;
  expect(tested!.pHolm).toBeCloseTo(2 * tested!.test!.p, 12);
});

test('the analysis of variance is over the most models that it exists for, and says which are not in it', () => {
  const both = [...spread('m', 1), ...spread('n', 2)];
  expect(levels([...spread('once', 1, [1]), ...both])).toEqual([['m', 'n'], ['once']]);
  expect(levels([...both, ...spread('apart', 1, [7, 8, 9])])).toEqual([['m', 'n'], ['apart']]);
  expect(levels([...both, ...spread('half', 1).filter(({ encoding }) => encoding === 'a')])).toEqual([
    ['m', 'n'],
    ['half'],
  ]);
  const { anovaLeftOut } = studyStatistics([...both, ...spread('once', 1, [1])], 1);
  expect(anovaLeftOut).toEqual([
    {
      model: 'once',
      reason: 'it has fewer than two seeds on all of its encodings: repeated measures need at least two',
    },
  ]);
  expect(levels([...spread('once', 1, [1]), ...spread('m', 1)])).toEqual([undefined, []]);
});

test('a baseline that the study added by itself is no level of the model factor', () => {
  const three = [...spread('m', 1), ...spread('n', 2), ...spread('linear', 3)];
  expect(levels(three)).toEqual([['m', 'n', 'linear'], []]);
  expect(levels(three, ['linear'])).toEqual([['m', 'n'], ['linear']]);
  const { anova, encodings } = studyStatistics(three, 1, undefined, ['linear']);
  expect(anova!.effects[0]).toMatchObject({ dfNumerator: 1, dfDenominator: 4 });
  expect(encodings.map(({ model }) => model)).toContain('linear');
});

test('a mean over the projects left out is one over all that were planned', () => {
  const of = (fold: string, seed: number, f1: number): CellResult => ({ ...cell('a', seed, f1), fold });
  const cells = [of('x', 1, 0.2), of('y', 1, 0.4), of('x', 2, 0.2)];
  expect(averageFolds(cells, ['x', 'y']).map(({ seed, f1 }) => [seed, f1])).toEqual([[1, expect.closeTo(0.3, 12)]]);
  expect(averageFolds(cells, ['x', 'y', 'z'])).toEqual([]);
  expect(averageFolds([cell('a', 1, 0.2)], [])).toHaveLength(1);
});

test('trivial predictors at the prevalence of the paper: all-defective scores F1 0.38', () => {
  const [all, random, none] = trivialPredictors(3164 / (3164 + 10268));
  expect(all!.f1).toBeCloseTo(0.3813, 4);
  expect(random!.f1).toBeCloseTo(0.2356, 4);
  expect([none!.f1, none!.recall, none!.accuracy]).toEqual([0, 0, expect.closeTo(0.7644, 4)]);
});
