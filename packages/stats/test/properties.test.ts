import { createRng } from '@redef/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bestThreshold,
  bootstrapMeanDifference,
  cliffsDelta,
  cohensKappa,
  effortMetrics,
  friedmanTest,
  holm,
  krippendorffAlpha,
  metrics,
  minimumDetectableDifference,
  pairedTTest,
  pairedTTestPower,
  postHocPairs,
  rates,
  rmAnova2,
  seedsNeeded,
  signFlipTest,
  standardDeviation,
  wilcoxonSignedRank,
} from '../src/index.js';

const value = fc.double({ min: -100, max: 100, noNaN: true });
const pairList = (minLength: number, maxLength = 20) => fc.array(fc.tuple(value, value), { minLength, maxLength });
const items = fc.array(
  fc.record({ label: fc.constantFrom(0, 1), score: fc.integer({ min: 0, max: 10 }), loc: fc.nat(20) }),
  {
    minLength: 1,
    maxLength: 60,
  },
);
const columns = (rows: readonly { label: number; score: number; loc: number }[]) =>
  [rows.map((r) => r.label), rows.map((r) => r.score / 10), rows.map((r) => r.loc + 1)] as const;

test('metrics do not depend on the order of items, and reversing scores turns the ROC area over', () => {
  fc.assert(
    fc.property(items, fc.string(), (rows, seed) => {
      const [truth, scores] = columns(rows);
      const { undefinedBecause, ...all } = metrics(truth, scores);
      const [shuffledTruth, shuffledScores] = columns(createRng(seed).shuffle(rows));
      const shuffled = metrics(shuffledTruth, shuffledScores);
      expect(shuffled.undefinedBecause).toEqual(undefinedBecause);
      for (const name of ['f1', 'mcc', 'prAuc', 'rocAuc'] as const) expect(shuffled[name]).toBe(all[name]);
      expect(shuffled.brier).toBeCloseTo(all.brier, 12);
      const reversed = metrics(
        truth,
        scores.map((s) => 1 - s),
      );
      expect(reversed.rocAuc).toBeCloseTo(1 - all.rocAuc, 12);
      expect(Object.values(all).some(Number.isNaN)).toBe(false);
    }),
  );
});

test('no threshold beats the best one', () => {
  fc.assert(
    fc.property(items, fc.constantFrom('f1', 'mcc', 'balancedAccuracy', 'accuracy'), (rows, metric) => {
      const [truth, scores] = columns(rows);
      fc.pre(truth.includes(0) && truth.includes(1));
      const best = bestThreshold(truth, scores, { metric });
      expect(metrics(truth, scores, { threshold: best.threshold })[metric]).toBe(best.value);
      for (const threshold of scores) {
        const at = metrics(truth, scores, { threshold })[metric];
        expect(at).toBeLessThanOrEqual(best.value);
        if (threshold > best.threshold) expect(at).toBeLessThan(best.value);
      }
    }),
  );
});

test('effort-aware metrics do not depend on the order of rows; a perfect order has P_opt 1 and its reverse 0', () => {
  fc.assert(
    fc.property(items, fc.string(), (rows, seed) => {
      const [truth, scores, loc] = columns(rows);
      fc.pre(truth.includes(0) && truth.includes(1));
      const result = effortMetrics(truth, scores, loc);
      expect(effortMetrics(...columns(createRng(seed).shuffle(rows))).pOpt).toBeCloseTo(result.pOpt, 12);
      expect(effortMetrics(truth, truth, loc).pOpt).toBeCloseTo(1, 12);
      const order = truth.map((label, i) => (label === 0 ? 1e6 : loc[i]! ** 2)); // clean first, then long before short
      expect(effortMetrics(truth, order, loc).pOpt).toBeCloseTo(0, 12);
      for (const name of ['recallAtEffort', 'effortAtRecall', 'pOpt', 'pciAtEffort'] as const) {
        expect(result[name]).toBeGreaterThanOrEqual(-1e-12);
        expect(result[name]).toBeLessThanOrEqual(1 + 1e-12);
      }
    }),
  );
});

test('swapping the samples turns one-sided tests over and leaves two-sided ones', () => {
  fc.assert(
    fc.property(pairList(3), (list) => {
      const a = list.map(([x]) => x);
      const b = list.map(([, y]) => y);
      fc.pre(standardDeviation(a.map((x, i) => x - b[i]!)) > 1e-6);
      for (const run of [pairedTTest, wilcoxonSignedRank]) {
        expect(run(a, b).p).toBeCloseTo(run(b, a).p, 12);
        expect(run(a, b, { alternative: 'greater' }).p).toBeCloseTo(run(b, a, { alternative: 'less' }).p, 12);
        expect(run(a, b).p).toBeLessThanOrEqual(1);
      }
      expect(cliffsDelta(a, b).value).toBeCloseTo(-cliffsDelta(b, a).value, 12);
    }),
  );
});

test('the interval of the t-test holds zero exactly when p is above its alpha', () => {
  fc.assert(
    fc.property(pairList(2), (list) => {
      const a = list.map(([x]) => x);
      const b = list.map(([, y]) => y);
      fc.pre(standardDeviation(a.map((x, i) => x - b[i]!)) > 1e-6);
      const { p, interval } = pairedTTest(a, b);
      fc.pre(Math.abs(p - 0.05) > 1e-9);
      expect(interval.low < 0 && interval.high > 0).toBe(p > 0.05);
    }),
  );
});

test('Holm never lowers a p-value, keeps the order and does not go beyond Bonferroni', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (p) => {
      const adjusted = holm(p);
      p.forEach((x, i) => {
        expect(adjusted[i]).toBeGreaterThanOrEqual(x);
        expect(adjusted[i]).toBeLessThanOrEqual(Math.min(1, x * p.length) + 1e-12);
        p.forEach((y, j) => {
          if (x < y) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j]!);
        });
      });
    }),
  );
});

test('F of a two-level factor is the square of the paired t on the subjects’ means, and p is the same', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 12 }), (seed, subjects) => {
      const rng = createRng(seed);
      const values = Array.from({ length: subjects }, () =>
        Array.from({ length: 2 }, (_, level) => Array.from({ length: 3 }, () => rng.normal() + level)),
      );
      const means = [0, 1].map((level) => values.map((t) => t[level]!.reduce((sum, x) => sum + x, 0) / 3));
      const { effects } = rmAnova2(values, { factors: [{ name: 'a' }, { name: 'b' }] });
      const { t, p } = pairedTTest(means[0]!, means[1]!);
      expect(Math.abs(effects[0].f - t * t)).toBeLessThanOrEqual(1e-8 * (t * t) + 1e-12);
      expect(effects[0].p).toBeCloseTo(p, 9);
      const { mainEffect, simpleEffects } = postHocPairs(values, {
        factors: [{ name: 'a' }, { name: 'b' }],
        compare: 'a',
      });
      expect(mainEffect.comparisons[0]!.test.t).toBeCloseTo(t, 9);
      expect(simpleEffects).toHaveLength(3);
    }),
    { numRuns: 50 },
  );
});

test('what is added to a whole subject changes no F', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 5, maxLength: 5 }), (shifts) => {
      const rng = createRng(shifts.join());
      const base = shifts.map(() => Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => rng.normal())));
      const moved = base.map((t, s) => t.map((row) => row.map((x) => x + shifts[s]!)));
      const [one, two] = [base, moved].map((v) => rmAnova2(v, { factors: [{ name: 'a' }, { name: 'b' }] }).effects);
      one!.forEach((effect, e) => {
        expect(Math.abs(effect.f / two![e]!.f - 1)).toBeLessThan(1e-9);
      });
    }),
    { numRuns: 30 },
  );
});

test('post-hoc families: pairs of levels over the other factor and within each of its levels, Holm in each', () => {
  const rng = createRng('families');
  const values = Array.from({ length: 10 }, () =>
    Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => rng.normal())),
  );
  const result = postHocPairs(values, { factors: [{ name: 'model' }, { name: 'encoding' }], compare: 'encoding' });
  expect(result.mainEffect.comparisons).toHaveLength(10);
  expect(result.simpleEffects).toHaveLength(4);
  for (const family of [result.mainEffect, ...result.simpleEffects]) {
    const p = family.comparisons.map((c) => c.test.p);
    expect(family.comparisons.map((c) => c.pHolm)).toEqual(holm(p));
  }
  const byHand = pairedTTest(
    values.map((t) => t[2]![0]!),
    values.map((t) => t[2]![1]!),
  );
  expect(result.simpleEffects[2]!.comparisons[0]!.test).toEqual(byHand);
  expect(result.simpleEffects[2]!.at).toBe('3');
});

test('a post-hoc pair that cannot be tested is named', () => {
  const rng = createRng('constant pair');
  const values = Array.from({ length: 4 }, () => {
    const x = rng.normal();
    return [
      [x, x, rng.normal()],
      [rng.normal(), rng.normal(), rng.normal()],
    ];
  });
  const factors = [{ name: 'model' }, { name: 'encoding', levels: ['x', 'copy of x', 'y'] }] as const;
  expect(() => postHocPairs(values, { factors, compare: 'encoding' })).toThrow(/x against copy of x in model 1/);
});

test('random flips come to the exact p-value, and are never 0', () => {
  const rng = createRng('flips');
  const a = Array.from({ length: 12 }, () => rng.normal() + 0.5);
  const b = Array.from({ length: 12 }, () => rng.normal());
  for (const alternative of ['two-sided', 'greater', 'less'] as const) {
    const exact = signFlipTest(a, b, { rng, alternative, method: 'exact' });
    const random = signFlipTest(a, b, { rng, alternative, method: 'monte-carlo', resamples: 40_000 });
    expect(exact.exact).toBe(true);
    expect(exact.resamples).toBe(4096);
    expect(Math.abs(random.p - exact.p)).toBeLessThan(5 * Math.sqrt((exact.p * (1 - exact.p)) / 40_000) + 1e-4);
  }
  const apart = a.map((x) => x + 100);
  const never = signFlipTest(apart, b, { rng, method: 'monte-carlo', resamples: 99, alternative: 'less' });
  expect(never.p).toBe(1);
  expect(signFlipTest([...apart, ...apart, ...apart], [...b, ...b, ...b], { rng, resamples: 99 }).p).toBe(0.01);
});

test('the bootstrap repeats with its seed, and covers the truth about as often as it says', () => {
  const rng = createRng('coverage');
  const runs = 300;
  for (const interval of ['percentile', 'bca'] as const) {
    let covered = 0;
    for (let run = 0; run < runs; run++) {
      const a = Array.from({ length: 40 }, () => rng.normal() + 1);
      const b = Array.from({ length: 40 }, () => rng.normal());
      const result = bootstrapMeanDifference(a, b, { rng: rng.fork(run), resamples: 400, level: 0.9, interval });
      if (result.interval.low < 1 && 1 < result.interval.high) covered++;
      if (run > 0) continue;
      expect(bootstrapMeanDifference(a, b, { rng: rng.fork(run), resamples: 400, level: 0.9, interval })).toEqual(
        result,
      );
    }
    expect(covered / runs).toBeGreaterThan(0.82);
    expect(covered / runs).toBeLessThan(0.95);
  }
});

test('power is alpha at no difference, and grows with the difference and with the seeds', () => {
  const at = (n: number, difference: number, alternative: 'two-sided' | 'greater' = 'two-sided') =>
    pairedTTestPower({ n, difference, standardDeviation: 1, alternative }).power;
  for (const n of [2, 3, 10, 100]) {
    expect(at(n, 0)).toBeCloseTo(0.05, 10);
    expect(at(n, 0, 'greater')).toBeCloseTo(0.05, 10);
    expect(at(n, 0.5)).toBeLessThan(at(n + 1, 0.5));
    expect(at(n, 0.5)).toBeLessThan(at(n, 0.6));
  }
});

test('alpha is 1 when raters agree on all they rate, whoever is missing', () => {
  expect(
    krippendorffAlpha([
      [1, 2, null, 3],
      [1, null, 3, 3],
      [null, 2, 3, 3],
    ]).alpha,
  ).toBe(1);
});

test('Friedman with all subjects alike: full concordance, and the chance of it', () => {
  const { kendallsW, imanDavenport } = friedmanTest([
    [1, 2, 3],
    [4, 5, 9],
    [0, 1, 2],
  ]);
  expect(kendallsW).toBe(1);
  expect(imanDavenport.f).toBe(Number.POSITIVE_INFINITY);
  expect(imanDavenport.p).toBeCloseTo(1 / 36, 12);
});

test('undefined rates have their stated value and their reason', () => {
  const none = rates({ truePositives: 0, falsePositives: 0, trueNegatives: 5, falseNegatives: 2 });
  expect(none.precision).toBe(0);
  expect(none.undefinedBecause).toEqual({
    precision: 'nothing was predicted positive',
    mcc: 'one class only was predicted',
  });
  const clean = metrics([0, 0, 0], [0.1, 0.2, 7]);
  expect(clean).toMatchObject({ recall: 0, prAuc: 0, rocAuc: 0.5, brier: 1, mcc: 0, balancedAccuracy: 2 / 3 });
  expect(Object.keys(clean.undefinedBecause).sort()).toEqual([
    'balancedAccuracy',
    'brier',
    'mcc',
    'prAuc',
    'recall',
    'rocAuc',
  ]);
  const effort = effortMetrics([0, 0], [0.1, 0.2], [1, 1]);
  expect(effort).toMatchObject({ recallAtEffort: 0, effortAtRecall: 1, pOpt: 0, ifa: 2 });
  expect(Object.keys(effort.undefinedBecause)).toHaveLength(4);
});

test('Wilcoxon ranks differences that are equal but for rounding as ties', () => {
  const a = [0.3, 0.4, 0.5, 0.6, 0.9];
  const b = [0.2, 0.3, 0.4, 0.7, 0.1];
  const whole = (x: number) => Math.round(10 * x);
  expect(wilcoxonSignedRank(a, b)).toEqual(wilcoxonSignedRank(a.map(whole), b.map(whole)));
});

test('a large pair decides neither over the ties nor over the zeros of the others', () => {
  const a = [0.31, 0.42, 0.53, 0.64, 0.75];
  const b = [0.3, 0.4, 0.5, 0.6, 0.7];
  for (const largest of [10, 1e9, 1e14, 1e100]) {
    const result = wilcoxonSignedRank([...a, largest], [...b, 0]);
    expect(result).toMatchObject({ wPlus: 21, zeros: 0, rankBiserial: 1 });
    expect(result.p).toBe(0.03125); // R: wilcox.test(a, b, paired = TRUE)
  }
  const [wholes, others] = [
    [1e16, 1e16, 3],
    [1e16 - 2, 1e16 - 4, 1],
  ];
  expect(wilcoxonSignedRank(wholes!, others!)).toMatchObject({ wPlus: 6, zeros: 0, p: 0.25 });
  expect(pairedTTest(wholes!, others!).meanDifference).toBeCloseTo(8 / 3, 12);
  expect(signFlipTest(wholes!, others!, { rng: createRng(1) }).p).toBe(0.25);
});

test('the rank-biserial correlation is that of the two sums given', () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), { minLength: 2 });
  fc.assert(
    fc.property(pairs, fc.constantFrom('wilcox', 'pratt', 'zsplit'), (drawn, zeroMethod) => {
      fc.pre(drawn.some(([x, y]) => x !== y));
      const [x, y] = [drawn.map(([first]) => first), drawn.map(([, second]) => second)];
      const { wPlus, wMinus, rankBiserial } = wilcoxonSignedRank(x, y, { zeroMethod, method: 'normal' });
      expect(rankBiserial).toBe((wPlus - wMinus) / (wPlus + wMinus));
    }),
  );
  const [x, y] = [
    [1, 2, 0, 0, 0],
    [1, 2, 0, 0, 1],
  ];
  const of = (zeroMethod: 'wilcox' | 'pratt' | 'zsplit') => wilcoxonSignedRank(x!, y!, { zeroMethod }).rankBiserial;
  expect([of('zsplit'), of('pratt'), of('wilcox')]).toEqual([-1 / 3, -1, -1]);
});

test('MCC is 1 where every item is right, -1 where every one is wrong, and never beyond', () => {
  const count = fc.integer({ min: 1, max: 1e15 });
  fc.assert(
    fc.property(count, count, (x, y) => {
      const [right, wrong] = [
        { truePositives: x, trueNegatives: y, falsePositives: 0, falseNegatives: 0 },
        { truePositives: 0, trueNegatives: 0, falsePositives: x, falseNegatives: y },
      ];
      expect([rates(right).mcc, rates(wrong).mcc]).toEqual([1, -1]);
      expect(Math.abs(rates({ ...right, falseNegatives: 1 }).mcc)).toBeLessThanOrEqual(1);
      expect(Math.abs(rates({ ...wrong, trueNegatives: 1 }).mcc)).toBeLessThanOrEqual(1);
    }),
  );
  expect(metrics([1, 0, 1], [3, -2, 1]).mcc).toBe(1);
});

test("the interval of Cohen's kappa ends at -1 and 1", () => {
  const { kappa, standardError, interval } = cohensKappa(['y', 'n', 'y', 'n'], ['y', 'n', 'n', 'n']);
  expect(kappa + 1.96 * standardError).toBeGreaterThan(1);
  expect(interval.high).toBe(1);
  expect(interval.low).toBeCloseTo(kappa - 1.959964 * standardError, 6);
  expect(cohensKappa(['y', 'n', 'y', 'n', 'y'], ['n', 'y', 'n', 'y', 'y']).interval.low).toBe(-1);
});

test('power of extreme designs is found at once, not in minutes', () => {
  expect(pairedTTestPower({ n: 2, difference: 1e6, standardDeviation: 1 }).power).toBe(1);
  expect(pairedTTestPower({ n: 2, difference: 1e9, standardDeviation: 1, alpha: 1e-9 }).power).toBeGreaterThan(0.5);
  expect(pairedTTestPower({ n: 1e9, difference: 1e-4, standardDeviation: 1 }).power).toBeCloseTo(0.8854, 3);
  const wide = minimumDetectableDifference({ n: 2, standardDeviation: 1, alpha: 1e-6 });
  expect(wide.power).toBeCloseTo(0.8, 10);
  expect(seedsNeeded({ difference: 1e-4, standardDeviation: 1 }).n).toBeCloseTo(784_886_000, -5);
});
