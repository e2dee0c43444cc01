import { createRng } from '@redef/core';
import { expect, test } from 'vitest';
import {
  bayesianComparison,
  benjaminiHochberg,
  cliffsDelta,
  cohensDz,
  equivalenceTest,
  holm,
  matchedPairsRankBiserial,
  mcNemarTest,
  minimumDetectableDifference,
  pairedTTest,
  pairedTTestPower,
  seedsNeeded,
  signFlipTest,
  wilcoxonSignedRank,
} from '../src/index.js';
import { bcaInterval, percentileInterval } from '../src/paired/bootstrap.js';
import { close, goldenRows, leastCases, pClose, type Row } from './golden.js';
import { pairs, planning, pValues, resampling, Stream, tiedPairs, twoRaters } from './inputs.js';

const alternatives = ['two-sided', 'greater', 'less'] as const;

test("the paired t-test agrees with R's t.test, down to 1e-15 and below", () => {
  let smallest = 1;
  goldenRows('paired-t-test').forEach((row, index) => {
    const { a, b } = pairs(index);
    const [both, greater, less] = alternatives.map((alternative) => pairedTTest(a, b, { alternative }));
    const place = `case ${index}`;
    close(both!.t, row[0], place);
    pClose(both!.p, row[1], place);
    close(both!.interval.low, row[2], place);
    close(both!.interval.high, row[3], place);
    pClose(greater!.p, row[4], place);
    close(greater!.interval.low, row[5], place);
    pClose(less!.p, row[6], place);
    close(less!.interval.high, row[7], place);
    smallest = Math.min(smallest, both!.p);
  });
  expect(smallest).toBeLessThan(1e-15);
});

test("the normal Wilcoxon test agrees with SciPy's, for every zero method, with and without continuity", () => {
  goldenRows('wilcoxon-normal').forEach((row, index) => {
    const { a, b } = tiedPairs(index);
    let column = 0;
    for (const zeroMethod of ['wilcox', 'pratt', 'zsplit'] as const) {
      for (const alternative of alternatives) {
        const continuity = (index + column) % 2 === 0;
        const options = { zeroMethod, alternative, continuity, method: 'normal' } as const;
        const place = `case ${index} ${JSON.stringify(options)}`;
        const result = wilcoxonSignedRank(a, b, options);
        close(result.statistic, row[column]!, place);
        pClose(result.p, row[column + 1]!, place);
        column += 2;
      }
    }
  });
});

test("the normal Wilcoxon test agrees with R's wilcox.test by default", () => {
  goldenRows('wilcoxon-r').forEach((row, index) => {
    const { a, b } = tiedPairs(index);
    alternatives.forEach((alternative, i) => {
      const result = wilcoxonSignedRank(a, b, { alternative, method: 'normal' });
      close(result.wPlus, row[0], `case ${index}`);
      pClose(result.p, row[i + 1], `case ${index} ${alternative}`);
    });
  });
});

test("the exact Wilcoxon test agrees with SciPy's where there are no ties", () => {
  goldenRows('wilcoxon-exact').forEach((row, index) => {
    const { a, b } = pairs(index, 1, 50);
    alternatives.forEach((alternative, i) => {
      pClose(wilcoxonSignedRank(a, b, { alternative, method: 'exact' }).p, row[i], `case ${index} ${alternative}`);
    });
  });
});

test('the exact Wilcoxon test agrees with a count of all signs where there are ties and zeros', () => {
  goldenRows('wilcoxon-counted').forEach((row, index) => {
    const { a, b } = tiedPairs(index, 2, 2, 11);
    (['wilcox', 'pratt'] as const).forEach((zeroMethod, z) => {
      alternatives.forEach((alternative, i) => {
        const result = wilcoxonSignedRank(a, b, { alternative, zeroMethod });
        expect(result.exact).toBe(true);
        pClose(result.p, row[3 * z + i], `case ${index} ${zeroMethod} ${alternative}`);
      });
    });
  });
});

test("percentile and BCa intervals agree with NumPy's and SciPy's from the same resamples", () => {
  goldenRows('bootstrap').forEach((row, index) => {
    const { differences, resamples } = resampling(index);
    const values = Float64Array.from(differences);
    const means = Float64Array.from(resamples, (r) => r.reduce((sum, i) => sum + values[i]!, 0) / r.length).sort();
    const percentile = percentileInterval(means, 0.9);
    const bca = bcaInterval(values, means, 0.9);
    close(percentile.low, row[0], `case ${index}`);
    close(percentile.high, row[1], `case ${index}`);
    close(bca.low, row[2], `case ${index} BCa`);
    close(bca.high, row[3], `case ${index} BCa`);
  });
});

test("the exact sign-flip test agrees with SciPy's permutation test", () => {
  const rng = createRng('golden');
  goldenRows('sign-flip').forEach((row, index) => {
    const { a, b } = index % 2 === 1 ? tiedPairs(index) : pairs(index);
    const first = a.slice(0, 10);
    const second = b.slice(0, 10);
    if (first.every((x, i) => x === second[i])) first[0]! += 1;
    alternatives.forEach((alternative, i) => {
      pClose(signFlipTest(first, second, { alternative, rng }).p, row[i], `case ${index} ${alternative}`);
    });
  });
});

test("McNemar's test agrees with statsmodels", () => {
  const rows = goldenRows<Row | null>('mcnemar');
  expect(rows.filter((row) => row !== null).length).toBeGreaterThanOrEqual(leastCases);
  rows.forEach((row, index) => {
    if (row === null) return;
    const { a, b } = twoRaters(index);
    const first = a.map((x) => Math.min(x, 1));
    const second = b.map((x) => Math.min(x, 1));
    const place = `case ${index}`;
    pClose(mcNemarTest(first, second).p, row[0], `${place} exact`);
    pClose(mcNemarTest(first, second, { method: 'mid-p' }).p, row[1], `${place} mid-p`);
    pClose(mcNemarTest(first, second, { method: 'chi-squared' }).p, row[2], `${place} corrected`);
    pClose(mcNemarTest(first, second, { method: 'chi-squared', continuity: false }).p, row[3], `${place} plain`);
  });
});

test("adjusted p-values agree with R's p.adjust", () => {
  goldenRows('adjusted-p-values').forEach((row, index) => {
    const p = pValues(index);
    [...holm(p), ...benjaminiHochberg(p)].forEach((value, i) => {
      close(value, row[i], `case ${index}`);
    });
  });
});

test('effect sizes agree with their definitions', () => {
  goldenRows('effect-sizes').forEach((row, index) => {
    const { a, b } = index % 2 === 1 ? tiedPairs(index) : pairs(index);
    if (row[0] !== null) close(cohensDz(a, b).value, row[0], `case ${index}`);
    close(cliffsDelta(a, b).value, row[1], `case ${index}`);
    close(matchedPairsRankBiserial(a, b).value, row[2], `case ${index}`);
  });
});

test('TOST agrees with statsmodels and the posterior with SciPy', () => {
  goldenRows('equivalence').forEach((row, index) => {
    const { a, b } = pairs(index);
    const margin = new Stream(20, index).next() * 2;
    const place = `case ${index}`;
    const tost = equivalenceTest(a, b, { margin });
    close(tost.tLow, row[0], place);
    pClose(tost.pLow, row[1], place);
    close(tost.tHigh, row[2], place);
    pClose(tost.pHigh, row[3], place);
    pClose(tost.p, row[4], place);
    const posterior = bayesianComparison(a, b, { rope: margin });
    pClose(posterior.pBelow, row[5], place);
    pClose(posterior.pAbove, row[6], place);
    // with a flat prior and separate seeds the credible interval is the confidence interval
    const { interval } = pairedTTest(a, b);
    close(posterior.interval.low, interval.low, place);
    close(posterior.interval.high, interval.high, place);
    expect(posterior.pBelow + posterior.pWithin + posterior.pAbove).toBeCloseTo(1, 12);
  });
});

/** The designs of the golden power and detectable difference, with the latter where R's pt is no approximation. */
const designs = () =>
  goldenRows('power').map(([power, delta], index) => {
    const { n, sd: standardDeviation, alpha, power: wanted, twoSided, effect } = planning(index);
    const alternative = twoSided ? ('two-sided' as const) : ('greater' as const);
    const beyond = (delta! / standardDeviation) * Math.sqrt(n) > 37; // 37.62 is where R changes over; see further down
    return {
      place: `case ${index}: ${JSON.stringify(planning(index))}`,
      n,
      wanted,
      difference: effect * standardDeviation,
      common: { standardDeviation, alpha, alternative },
      power: power!,
      delta: beyond ? null : delta!,
    };
  });

test("power agrees with R's power.t.test", () => {
  for (const { n, difference, common, power, place } of designs()) {
    close(pairedTTestPower({ n, difference, ...common }).power, power, place);
  }
});

test("the detectable difference agrees with R's power.t.test", () => {
  const within = designs().filter(({ delta }) => delta !== null);
  expect(within.length).toBeGreaterThanOrEqual(leastCases);
  for (const { n, wanted, common, delta, place } of within) {
    close(minimumDetectableDifference({ n, power: wanted, ...common }).difference, delta, place);
  }
});

test('the seeds needed for the difference that n seeds detect are n', () => {
  designs().forEach(({ n, wanted, common, delta, place }, index) => {
    if (delta === null) return;
    expect(seedsNeeded({ difference: delta * (1 + 1e-9), power: wanted, ...common }).n, place).toBe(n);
    if (index % 5 !== 0) return; // one search is enough for most
    expect(seedsNeeded({ difference: delta * (1 - 1e-9), power: wanted, ...common }).n, place).toBe(n + 1);
  });
});

test('power at large non-centrality agrees with its integral in 25 digits', () => {
  for (const [n, alpha, difference, power] of goldenRows<number[]>('power-extreme')) {
    const place = `n ${n}, alpha ${alpha}, difference ${difference}`;
    close(
      pairedTTestPower({ n: n!, alpha: alpha!, difference: difference!, standardDeviation: 1 }).power,
      power,
      place,
    );
  }
});
