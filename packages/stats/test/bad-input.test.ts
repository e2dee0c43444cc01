import { createRng, RedefError } from '@redef/core';
import { describe, expect, test } from 'vitest';
import * as stats from '../src/index.js';

const rng = createRng('bad input');
type Paired = (a: number[], b: number[]) => unknown;
const paired: Record<string, Paired> = {
  pairedTTest: (a, b) => stats.pairedTTest(a, b),
  wilcoxonSignedRank: (a, b) => stats.wilcoxonSignedRank(a, b),
  bootstrapMeanDifference: (a, b) => stats.bootstrapMeanDifference(a, b, { rng }),
  signFlipTest: (a, b) => stats.signFlipTest(a, b, { rng }),
  equivalenceTest: (a, b) => stats.equivalenceTest(a, b, { margin: 0.1 }),
  bayesianComparison: (a, b) => stats.bayesianComparison(a, b, { rope: 0.1 }),
  cohensDz: (a, b) => stats.cohensDz(a, b),
  matchedPairsRankBiserial: (a, b) => stats.matchedPairsRankBiserial(a, b),
};

/** Fails unless `call` throws a RedefError of this code with a remedy and no NaN of its own making. */
function refuses(call: () => unknown, code: string): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  if (!RedefError.isInstance(thrown)) expect.fail(`expected a RedefError ${code}, got ${String(thrown)}`);
  expect(thrown.code, thrown.message).toBe(code);
  expect(thrown.remedy.length).toBeGreaterThan(5);
}

describe.each(Object.entries(paired))('%s refuses', (_, call) => {
  test.each<[string, number[], number[], string]>([
    ['unequal lengths', [1, 2, 3], [1, 2], 'unequal-lengths'],
    ['NaN', [1, Number.NaN, 3], [1, 2, 4], 'not-finite'],
    ['infinity', [1, 2, 3], [1, 2, Number.POSITIVE_INFINITY], 'not-finite'],
    ['one pair', [1], [2], 'too-few-pairs'],
    ['no pairs', [], [], 'too-few-pairs'],
    ['all differences zero', [1, 2, 3], [1, 2, 3], 'all-differences-zero'],
  ])('%s', (__, a, b, code) => refuses(() => call(a, b), code));
});

test.each(['pairedTTest', 'bootstrapMeanDifference', 'equivalenceTest', 'bayesianComparison', 'cohensDz'])(
  '%s refuses a constant difference',
  (name) => refuses(() => paired[name]!([1, 2, 3], [0, 1, 2]), 'no-variation'),
);

describe.each(Object.entries(paired))('%s is not fooled by rounding', (name, call) => {
  const a = [0.3, 0.4, 0.5, 0.6];
  test('a difference of 0.1 throughout is constant', () => {
    const b = [0.2, 0.3, 0.4, 0.5];
    expect(new Set(a.map((x, i) => x - b[i]!)).size).toBeGreaterThan(1);
    const ranks = ['wilcoxonSignedRank', 'signFlipTest', 'matchedPairsRankBiserial'];
    if (!ranks.includes(name)) refuses(() => call(a, b), 'no-variation');
  });
  test('0.1 + 0.2 is 0.3', () => refuses(() => call([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]), 'all-differences-zero'));
  test('values beyond what can be squared', () => refuses(() => call([1e200, 2e200], [3e200, 1]), 'not-finite'));
});

const factors: [stats.Factor, stats.Factor] = [{ name: 'model' }, { name: 'encoding' }];
const table = (...subjects: number[][][]) => subjects;
const full = [
  [1, 2],
  [3, 5],
];

describe('the ANOVA and its post-hoc tests refuse', () => {
  test.each<[string, number[][][], string]>([
    ['a missing cell', table(full, [[1, 2], [3]]), 'missing-cells'],
    ['a missing row', table(full, [[1, 2]]), 'missing-cells'],
    [
      'a cell too many',
      table(full, [
        [1, 2, 3],
        [3, 4],
      ]),
      'missing-cells',
    ],
    [
      'NaN',
      table(full, [
        [1, Number.NaN],
        [3, 4],
      ]),
      'missing-cells',
    ],
    ['one subject', table(full), 'too-few-cells'],
    ['one level', table([[1, 2]], [[1, 3]]), 'too-few-cells'],
    ['nothing', [], 'too-few-cells'],
    ['subjects that are copies', table(full, full, full), 'no-variation'],
  ])('%s', (_, values, code) => {
    refuses(() => stats.rmAnova2(values, { factors }), code);
    refuses(() => stats.postHocPairs(values, { factors, compare: 'encoding' }), code);
  });

  test('level names that do not fit, and a factor that is not there', () => {
    const values = table(full, [
      [2, 2],
      [4, 4],
    ]);
    const named: [stats.Factor, stats.Factor] = [{ name: 'model', levels: ['a'] }, { name: 'encoding' }];
    refuses(() => stats.rmAnova2(values, { factors: named }), 'invalid-option');
    const alike: [stats.Factor, stats.Factor] = [{ name: 'model' }, { name: 'model' }];
    refuses(() => stats.postHocPairs(values, { factors: alike, compare: 'model' }), 'invalid-option');
    const twice: [stats.Factor, stats.Factor] = [{ name: 'model', levels: ['a', 'a'] }, { name: 'encoding' }];
    refuses(() => stats.rmAnova2(values, { factors: twice }), 'invalid-option');
    refuses(() => stats.postHocPairs(values, { factors, compare: 'seed' }), 'invalid-option');
  });
});

test('copies are found whatever rounding does to them', () => {
  const odd = [
    [0.1 + 0.2, 1 / 3],
    [1e8 / 7, 2 / 3],
  ];
  refuses(() => stats.rmAnova2([odd, odd, odd], { factors }), 'no-variation');
});

test.each<[string, () => unknown, string]>([
  ['labels other than 0 and 1', () => stats.metrics([0, 2], [0.1, 0.2]), 'invalid-label'],
  ['more labels than scores', () => stats.metrics([0, 1, 1], [0.1, 0.2]), 'unequal-lengths'],
  ['a score that is no number', () => stats.metrics([0, 1], [0.1, Number.NaN]), 'not-finite'],
  ['no items', () => stats.metrics([], []), 'no-items'],
  ['a threshold of NaN', () => stats.metrics([0, 1], [0, 1], { threshold: Number.NaN }), 'invalid-option'],
  ['a threshold for one class', () => stats.bestThreshold([1, 1], [0.1, 0.2]), 'one-class'],
  ['a calibration of logits', () => stats.calibration([0, 1], [-2, 3]), 'not-a-probability'],
  ['no bins', () => stats.calibration([0, 1], [0.2, 0.3], { bins: 0 }), 'invalid-option'],
  ['negative effort', () => stats.effortMetrics([0, 1], [0.2, 0.3], [1, -1]), 'invalid-effort'],
  ['no effort at all', () => stats.effortMetrics([0, 1], [0.2, 0.3], [0, 0]), 'invalid-effort'],
  ['logits where effort divides', () => stats.effortMetrics([0, 1], [-0.2, 0.3], [1, 1]), 'not-a-probability'],
  ['equal rankings', () => stats.deLongTest([1, 1, 0, 0], [4, 3, 2, 1], [8, 6, 4, 2]), 'no-variation'],
  ['one positive', () => stats.deLongTest([1, 0, 0], [4, 3, 2], [1, 6, 4]), 'too-few-items'],
  ['classifiers that never differ', () => stats.mcNemarTest([1, 0, 1], [1, 0, 1]), 'all-differences-zero'],
  ['a p-value over 1', () => stats.holm([0.1, 1.2]), 'not-a-p-value'],
  ['a p-value of NaN', () => stats.benjaminiHochberg([Number.NaN]), 'not-a-p-value'],
  ['raters of one mind and one category', () => stats.cohensKappa(['a', 'a'], ['a', 'a']), 'no-variation'],
  [
    'weights without an order',
    () => stats.cohensKappa(['a', 'b'], ['b', 'b'], { weights: 'linear' }),
    'invalid-option',
  ],
  [
    'a category that is not listed',
    () => stats.cohensKappa(['a', 'c'], ['b', 'b'], { categories: ['a', 'b'] }),
    'unknown-category',
  ],
  [
    'subjects with fewer ratings',
    () =>
      stats.fleissKappa([
        [1, 2],
        [1, 1],
      ]),
    'unequal-raters',
  ],
  [
    'one rater',
    () =>
      stats.fleissKappa([
        [1, 0],
        [0, 1],
      ]),
    'unequal-raters',
  ],
  ['half a rating', () => stats.fleissKappa([[1.5, 1.5]]), 'invalid-count'],
  ['ragged counts', () => stats.fleissKappa([[1, 1], [2]]), 'invalid-count'],
  [
    'counts in one category',
    () =>
      stats.fleissKappa([
        [3, 0],
        [3, 0],
      ]),
    'no-variation',
  ],
  [
    'ratings that never meet',
    () =>
      stats.krippendorffAlpha([
        [1, null],
        [null, 2],
      ]),
    'too-few-pairs',
  ],
  [
    'ratings all equal',
    () =>
      stats.krippendorffAlpha([
        [1, 1],
        [1, 1],
      ]),
    'no-variation',
  ],
  [
    'words on an interval scale',
    () =>
      stats.krippendorffAlpha(
        [
          ['a', 'b'],
          ['a', 'a'],
        ],
        { level: 'interval' },
      ),
    'not-finite',
  ],
  ['ragged raters', () => stats.krippendorffAlpha([[1, 2], [1]]), 'unequal-lengths'],
  ['more successes than trials', () => stats.wilsonInterval(3, 2), 'invalid-option'],
  ['no trials', () => stats.clopperPearsonInterval(0, 0), 'invalid-option'],
  ['a missing rating', () => stats.cohensKappa(['a', null as unknown as string], ['a', 'b']), 'missing-rating'],
  [
    'a rating of NaN',
    () =>
      stats.krippendorffAlpha([
        [1, Number.NaN],
        [1, 2],
      ]),
    'not-finite',
  ],
  [
    'a hundred million resamples',
    () => stats.bootstrapMeanDifference([1, 2], [1, 3], { rng, resamples: 1e8 }),
    'invalid-option',
  ],
  ['a billion flips', () => stats.signFlipTest([1, 2], [1, 3], { rng, resamples: 1e9 }), 'invalid-option'],
  ['a million million bins', () => stats.calibration([0, 1], [0.2, 0.3], { bins: 1e12 }), 'invalid-option'],
  ['no generator', () => stats.signFlipTest([1, 2], [1, 3], {} as stats.SignFlipOptions), 'invalid-option'],
  ['no values', () => stats.pairedTTest([1, 2], undefined as unknown as number[]), 'not-an-array'],
  ['the mean of nothing', () => stats.mean([]), 'no-items'],
  ['the spread of one value', () => stats.standardDeviation([1]), 'too-few-items'],
  ['a mean with a hole', () => stats.mean([1, Number.NaN]), 'not-finite'],
  ['an F below zero', () => stats.effectSizesOfF(-1, 2, 18), 'not-finite'],
  ['the word for NaN', () => stats.magnitude('cohensDz', Number.NaN), 'not-finite'],
  ['a measure inherited from Object', () => stats.magnitude('toString' as 'cohensDz', 1), 'invalid-option'],
  [
    'counts below zero',
    () => stats.rates({ truePositives: -1, falsePositives: 1, trueNegatives: 1, falseNegatives: 1 }),
    'invalid-option',
  ],
  [
    'a category listed twice, which would stretch distances',
    () => stats.cohensKappa([1, 2], [2, 2], { categories: [1, 1, 2], weights: 'linear' }),
    'invalid-option',
  ],
  [
    'a category listed twice in an ordinal alpha',
    () =>
      stats.krippendorffAlpha(
        [
          [1, 2],
          [2, 2],
        ],
        { categories: [1, 2, 2], level: 'ordinal' },
      ),
    'invalid-option',
  ],
  ['a level of 95', () => stats.wilsonInterval(1, 2, 95), 'invalid-option'],
  [
    'two conditions for Friedman',
    () =>
      stats.friedmanTest([
        [1, 2],
        [2, 1],
      ]),
    'too-few-cells',
  ],
  [
    'a ragged table for Friedman',
    () =>
      stats.friedmanTest([
        [1, 2, 3],
        [2, 1],
      ]),
    'missing-cells',
  ],
  [
    'nothing to rank',
    () =>
      stats.friedmanTest([
        [1, 1, 1],
        [2, 2, 2],
      ]),
    'no-variation',
  ],
  ['a margin below zero', () => stats.equivalenceTest([1, 2], [1, 3], { margin: -1 }), 'invalid-option'],
  [
    'a correlation of one',
    () => stats.bayesianComparison([1, 2], [1, 3], { rope: 1, correlation: 1 }),
    'invalid-option',
  ],
  ['no spread to plan with', () => stats.seedsNeeded({ difference: 1, standardDeviation: 0 }), 'invalid-option'],
  ['a difference of nothing', () => stats.seedsNeeded({ difference: 0, standardDeviation: 1 }), 'invalid-option'],
  ['one seed', () => stats.minimumDetectableDifference({ n: 1, standardDeviation: 1 }), 'invalid-option'],
  ['a power of 1', () => stats.seedsNeeded({ difference: 1, standardDeviation: 1, power: 1 }), 'invalid-option'],
  ['an exact test too large', () => stats.wilcoxonSignedRank(...long(501), { method: 'exact' }), 'invalid-option'],
  ['all flips of too many pairs', () => stats.signFlipTest(...long(25), { method: 'exact', rng }), 'invalid-option'],
  ['half a resample', () => stats.bootstrapMeanDifference([1, 2], [1, 3], { rng, resamples: 0.5 }), 'invalid-option'],
])('refuses %s', (_, call, code) => refuses(call, code));

function long(n: number): [number[], number[]] {
  return [Array.from({ length: n }, (_, i) => i + (i % 3)), Array.from({ length: n }, (_, i) => i + (i % 2) + 0.5)];
}

test('options out of their list are refused by name, as JavaScript callers meet them', () => {
  const wrong = 'both' as 'two-sided';
  refuses(() => stats.pairedTTest([1, 2], [1, 3], { alternative: wrong }), 'invalid-option');
  refuses(() => stats.wilcoxonSignedRank([1, 2], [1, 3], { alternative: wrong }), 'invalid-option');
  refuses(() => stats.magnitude('r2' as 'cohensDz', 1), 'invalid-option');
  refuses(() => stats.describe({ kind: 'toast' } as unknown as stats.PairedTTestResult), 'invalid-result');
});

test('areas that differ for every item by the same are told as they are', () => {
  const call = () => stats.deLongTest([1, 1, 0, 0], [4, 3, 2, 1], [1, 1, 1, 1]);
  refuses(call, 'no-variation');
  expect(call).toThrow('the two areas, 1 and 0.5, is the same for every item');
});

test('a label that is wrong is named by its own list', () => {
  expect(() => stats.mcNemarTest([1, 0], [1, 2])).toThrow('second[1] must be 0, 1');
});
