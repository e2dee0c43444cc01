import { createRng } from '@redef/core';
import { expect, describe as group, test } from 'vitest';
import * as stats from '../index.js';

const a = [0.3953, 0.4012, 0.3871, 0.4104, 0.3899, 0.3987, 0.4051, 0.3925, 0.3968, 0.399];
const b = [0.3919, 0.3995, 0.385, 0.4049, 0.3871, 0.3962, 0.3999, 0.3921, 0.3901, 0.3953];
const rng = createRng('describe');
const values = a.map((x, s) => [
  [x, b[s]!, x + 0.01 * ((s * 7) % 3)],
  [x - 0.02, b[s]! - 0.03, x - 0.01 * ((s * 5) % 4)],
]);
const factors: [stats.Factor, stats.Factor] = [
  { name: 'Model', levels: ['CodeBERT', 'CodeT5+'] },
  { name: 'Encoding', levels: ['Diff w/ tags', 'Added→Deleted', 'After_only'] },
];
const ranks = values.map((table) => table.flat());
const truth = [1, 0, 1, 1, 0, 0, 1, 0];
const scores = [0.9, 0.2, 0.6, 0.4, 0.5, 0.1, 0.8, 0.3];
const loc = [10, 40, 5, 60, 7, 30, 22, 8];

const results: Record<stats.DescribableResult['kind'], stats.DescribableResult> = {
  metrics: stats.metrics(truth, scores),
  'effort-metrics': stats.effortMetrics(truth, scores, loc),
  calibration: stats.calibration(truth, scores, { bins: 4 }),
  delong: stats.deLongTest(truth, scores, [0.5, 0.3, 0.9, 0.2, 0.4, 0.6, 0.7, 0.1]),
  'paired-t-test': stats.pairedTTest(a, b, { alternative: 'greater' }),
  'wilcoxon-signed-rank': stats.wilcoxonSignedRank(b, a),
  'bootstrap-mean-difference': stats.bootstrapMeanDifference(a, b, { rng }),
  'sign-flip-test': stats.signFlipTest(a, b, { rng }),
  mcnemar: stats.mcNemarTest(truth, [1, 1, 0, 1, 1, 0, 1, 1]),
  'equivalence-test': stats.equivalenceTest(a, b, { margin: 0.005 }),
  'bayesian-comparison': stats.bayesianComparison(a, b, { rope: 0.005 }),
  'rm-anova-2': stats.rmAnova2(values, { factors }),
  'post-hoc-pairs': stats.postHocPairs(values, { factors, compare: 'Encoding' }),
  friedman: stats.friedmanTest(ranks),
  nemenyi: stats.nemenyiTest(ranks),
  'effect-size': stats.cohensDz(a, b),
  'cohens-kappa': stats.cohensKappa(['yes', 'no', 'yes', 'no'], ['yes', 'no', 'no', 'no']),
  'fleiss-kappa': stats.fleissKappa([
    [3, 0],
    [1, 2],
    [0, 3],
  ]),
  'krippendorff-alpha': stats.krippendorffAlpha([
    [1, 2, 2, null],
    [1, 2, 1, 3],
  ]),
  'proportion-interval': stats.wilsonInterval(92, 100),
  power: stats.minimumDetectableDifference({ n: 10, standardDeviation: 0.0026 }),
};

test.each(Object.entries(results))('%s is put into words', (kind, result) => {
  expect(result.kind).toBe(kind);
  const { sentence, latex } = stats.describe(result);
  expect(sentence).toMatchSnapshot('sentence');
  expect(latex).toMatchSnapshot('latex');
  expect(sentence).not.toMatch(/NaN|undefined|\[object/);
  expect(stats.describe(JSON.parse(JSON.stringify(result)))).toEqual(stats.describe(result));
});

test('every result names its method, its n and its assumptions', () => {
  for (const result of Object.values(results)) {
    expect(result.method.length, result.kind).toBeGreaterThan(3);
    expect(result.n, result.kind).toBeGreaterThan(0);
    expect(result.assumptions.length, result.kind).toBeGreaterThan(0);
  }
});

group('numbers and names', () => {
  test('LaTeX gets its special characters escaped, and the same sentence otherwise', () => {
    const named = stats.rmAnova2(values, { factors: [{ name: 'A_1 & 50%' }, { name: '#b → {c}' }] });
    const { latex, sentence } = stats.describe(named);
    expect(latex).toContain('A\\_1 \\& 50\\%: $F(1,9)');
    expect(latex).toContain('\\#b $\\rightarrow$ \\{c\\}: ');
    expect(sentence).toContain('A_1 & 50% × #b → {c}: F(2,18)');
  });

  test('tags in names print as tags in LaTeX', () => {
    const named = stats.rmAnova2(values, { factors: [{ name: '<ADD> | <DEL>' }, { name: 'n ≤ 2' }] });
    expect(stats.describe(named).latex).toContain(
      '\\textless{}ADD\\textgreater{} \\textbar{} \\textless{}DEL\\textgreater{}: $F(1,9)',
    );
    expect(stats.describe(named).latex).toContain('n $\\leq$ 2: ');
  });

  test('less than all is never printed as 100%', () => {
    expect(stats.describe(stats.wilsonInterval(999_999, 1_000_000, 0.99999)).sentence).toMatch(
      /^999999 of 1000000 \(99\.9999%\), 99\.999% CI/,
    );
    expect(stats.describe(stats.wilsonInterval(5, 5)).sentence).toContain('(100%)');
  });

  test('what is no whole result is refused in words', () => {
    for (const part of [null, undefined, 'F', {}, { kind: 'paired-t-test' }, { kind: 'metrics', n: 3 }]) {
      expect(() => stats.describe(part as unknown as stats.PairedTTestResult)).toThrow(
        expect.objectContaining({ code: 'invalid-result' }),
      );
    }
  });

  test('an ANOVA comes as a table too', () => {
    expect(stats.describe(results['rm-anova-2']!).latexTable).toMatchSnapshot();
  });

  test('small numbers keep two digits', () => {
    const tiny = stats.pairedTTest(
      a.map((x) => x / 1e4),
      b.map((x) => x / 1e4),
    );
    expect(stats.describe(tiny).sentence).toContain('mean difference 0.00000034, 95% CI [0.00000020, 0.00000048]');
  });

  test('p is never printed as zero', () => {
    const apart = a.map((x) => x + 5);
    expect(stats.describe(stats.pairedTTest(apart, b)).sentence).toContain('p < .001');
  });

  test('an undefined metric is printed with its reason', () => {
    expect(stats.describe(stats.metrics([0, 0, 1], [0.1, 0.2, 0.3])).sentence).toContain(
      'precision 0.0000 (nothing was predicted positive)',
    );
  });

  test('words for sizes follow the thresholds', () => {
    expect(stats.magnitude('cohensDz', -0.8)).toBe('large');
    expect(stats.magnitude('cohensDz', 0.79)).toBe('medium');
    expect(stats.magnitude('partialEtaSquared', 0.06)).toBe('medium');
    expect(stats.magnitude('cliffsDelta', 0.146)).toBe('negligible');
    expect(stats.magnitude('cohensF', 0.1)).toBe('small');
    expect(stats.cliffsDelta([3, 4], [1, 2])).toMatchObject({
      value: 1,
      magnitude: 'large',
      thresholds: [0.147, 0.33, 0.474],
    });
  });
});
