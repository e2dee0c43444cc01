import { createRng, RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import * as stats from '../src/index.js';

const rng = createRng('hostile');
const a = [1, 2, 3.5, 4, 2.2];
const b = [0.9, 2.3, 3, 3.5, 2];
const truth = [1, 0, 1, 0, 1];
const scores = [0.9, 0.2, 0.7, 0.6, 0.4];
const cube = [0, 1, 2, 3].map((s) => [0, 1].map((i) => [0, 1, 2].map((j) => Math.sin(s * 7 + i * 3 + j * 5) + i)));
const rows = cube.map((table) => table.flat());
const factors = [{ name: 'A' }, { name: 'B', levels: ['x', 'y', 'z'] }];
const design = { standardDeviation: 1, alpha: 0.05, alternative: 'greater' };

/** Arguments that each function takes; the options last. */
const calls: Record<string, unknown[]> = {
  metrics: [truth, scores, { threshold: 0.5, prAucMethod: 'trapezoid' }],
  rates: [{ truePositives: 1, falsePositives: 2, trueNegatives: 3, falseNegatives: 4 }],
  prAuc: [truth, scores, 'trapezoid'],
  rocAuc: [truth, scores],
  bestThreshold: [truth, scores, { metric: 'mcc' }],
  calibration: [truth, scores, { bins: 3, strategy: 'quantile' }],
  brierScore: [truth, scores],
  deLongTest: [truth, scores, [0.1, 0.5, 0.3, 0.9, 0.8], { alternative: 'less', level: 0.9 }],
  effortMetrics: [truth, scores, [1, 2, 3, 4, 5], { share: 0.2, pOptArea: 'deciles' }],
  pairedTTest: [a, b, { alternative: 'less', level: 0.9 }],
  wilcoxonSignedRank: [a, b, { alternative: 'less', method: 'normal', zeroMethod: 'pratt', continuity: false }],
  signFlipTest: [a, b, { rng, alternative: 'less', resamples: 20, method: 'monte-carlo' }],
  mcNemarTest: [truth, [0, 1, 1, 0, 1], { method: 'chi-squared', continuity: false }],
  bootstrapMeanDifference: [a, b, { rng, resamples: 50, level: 0.9, interval: 'bca' }],
  holm: [[0.1, 0.2]],
  benjaminiHochberg: [[0.1, 0.2]],
  rmAnova2: [cube, { factors }],
  postHocPairs: [cube, { factors, compare: 'A' }],
  effectSizesOfF: [3, 2, 18],
  friedmanTest: [rows],
  nemenyiTest: [rows, { alpha: 0.05 }],
  cohensDz: [a, b],
  cliffsDelta: [a, b],
  matchedPairsRankBiserial: [a, b],
  magnitude: ['cohensDz', 0.5],
  cohensKappa: [['x', 'y', 'x'], ['x', 'y', 'y'], { weights: 'linear', categories: ['x', 'y'], level: 0.9 }],
  fleissKappa: [
    [
      [2, 1],
      [0, 3],
    ],
  ],
  krippendorffAlpha: [
    [
      [1, 2, 2],
      [1, 2, 1],
    ],
    { level: 'ordinal', categories: [1, 2] },
  ],
  wilsonInterval: [3, 10, 0.9],
  clopperPearsonInterval: [3, 10, 0.9],
  equivalenceTest: [a, b, { margin: 0.5, alpha: 0.05 }],
  bayesianComparison: [a, b, { rope: [-0.1, 0.2], level: 0.9, correlation: 0.1 }],
  minimumDetectableDifference: [{ ...design, n: 10, power: 0.8 }],
  seedsNeeded: [{ ...design, difference: 0.5, power: 0.8 }],
  pairedTTestPower: [{ ...design, n: 10, difference: 0.5 }],
  describe: [stats.pairedTTest(a, b)],
  mean: [a],
  standardDeviation: [a],
};

/** What a caller without types may pass. */
const hostile: unknown[] = [
  ...[undefined, null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0, 0.5, 1e308, 5e-324, 1e15],
  ...[
    '',
    '0.5',
    'abcde',
    true,
    Symbol('s'),
    10n,
    () => 1,
    new Map(),
    {},
    { length: 5 },
    { length: -1 },
    { length: 1e9 },
  ],
  ...[[], [1], [null], [[null]], [[[1]]], [[1, 2], [3]], new Array(5), [1, 1, 1, 1, 1], [Number.NaN, 1, 2, 3, 4]],
  ...[
    ['a', 'b', 'c', 'd', 'e'],
    ['1', '2', '3', '4', '5'],
    [1n, 2n, 3n, 4n, 5n],
    [null, 1, 2, 3, 4],
    [undefined, 1],
  ],
  ...[
    [1e308, -1e308, 1e308, 1, 1],
    [5e-324, 0, 0, 0, 0],
    [1e150, -1e150, 3, 1, 1],
    [1e-170, 2e-170, 0, 1e-169, 0],
  ],
];

const isNaNWithin = (value: unknown): boolean =>
  Number.isNaN(value) || (typeof value === 'object' && value !== null && Object.values(value).some(isNaNWithin));

function attempt(name: string, args: unknown[]): void {
  const call = Reflect.get(stats, name) as (...given: unknown[]) => unknown;
  let result: unknown;
  try {
    result = call(...args);
  } catch (error) {
    if (!RedefError.isInstance(error)) throw error;
    expect(error.remedy.length).toBeGreaterThan(5);
    return;
  }
  if (isNaNWithin(result)) expect.fail(`NaN in the result of ${name}`);
  if (typeof result !== 'object' || result === null || !('kind' in result)) return;
  expect(stats.describe(result as stats.DescribableResult).sentence).not.toMatch(/NaN|undefined|null/);
}

test('every function that is exported is tried', () => {
  const exported = Object.entries(stats).filter(([, value]) => typeof value === 'function');
  expect(Object.keys(calls).sort()).toEqual(exported.map(([name]) => name).sort());
});

test.each(Object.entries(calls))('%s takes what it takes and refuses all else in words', (name, args) => {
  expect(() => Reflect.apply(Reflect.get(stats, name), undefined, args)).not.toThrow();
  for (let given = 0; given < args.length; given++) attempt(name, args.slice(0, given));
  const last = args.length - 1;
  const options = args[last];
  for (const value of hostile) {
    for (let place = 0; place < args.length; place++) attempt(name, args.with(place, value));
    if (typeof options !== 'object' || options === null || Array.isArray(options)) continue;
    for (const key of Object.keys(options)) attempt(name, args.with(last, { ...options, [key]: value }));
  }
});
