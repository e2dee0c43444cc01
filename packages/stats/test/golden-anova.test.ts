import { expect, test } from 'vitest';
import { friedmanTest, nemenyiTest, rmAnova2 } from '../src/index.js';
import { close, goldenRows, leastCases, pClose } from './golden.js';
import { nearLevels, ranked, twoWay } from './inputs.js';

test("two-way repeated-measures ANOVA agrees with R's aov, anova.mlm and mauchly.test", () => {
  let smallest = 1;
  let corrected = 0;
  goldenRows('rm-anova').forEach((row, index) => {
    const { effects } = rmAnova2(twoWay(index), { factors: [{ name: 'a' }, { name: 'b' }] });
    effects.forEach((effect, e) => {
      const [f, p, epsilonGG, pGG, epsilonHF, pHF, w, pMauchly] = row.slice(8 * e, 8 * e + 8);
      const place = `case ${index} ${effect.name}`;
      close(effect.f, f, place);
      pClose(effect.p, p, place);
      smallest = Math.min(smallest, effect.p);
      const { sphericity } = effect;
      expect(sphericity === undefined, place).toBe(epsilonGG === null);
      if (!sphericity) return;
      corrected++;
      close(sphericity.epsilonGreenhouseGeisser, epsilonGG, place);
      pClose(sphericity.pGreenhouseGeisser, pGG, place);
      close(sphericity.epsilonHuynhFeldt, epsilonHF, place);
      pClose(sphericity.pHuynhFeldt, pHF, place);
      expect(sphericity.mauchly === null, place).toBe(w === null);
      close(sphericity.mauchly?.w ?? 0, w ?? null, `${place} Mauchly`);
      pClose(sphericity.mauchly?.p ?? 0, pMauchly ?? null, `${place} Mauchly`);
    });
  });
  expect(smallest).toBeLessThan(1e-15);
  expect(corrected).toBeGreaterThan(2000);
});

test("marginal means agree with R's model.tables", () => {
  const rows = goldenRows('marginal-means');
  expect(rows.length).toBeGreaterThanOrEqual(leastCases);
  rows.forEach((row, index) => {
    const { marginalMeans } = rmAnova2(twoWay(index), { factors: ['a', { name: 'b' }] });
    const means = marginalMeans.flat();
    expect(means, `case ${index}`).toHaveLength(row.length);
    means.forEach(({ mean, level }, i) => {
      close(mean, row[i], `case ${index}, level ${level}`);
    });
  });
});

test("Mauchly's W keeps its digits where two levels nearly agree", () => {
  let compared = 0;
  goldenRows<number | null>('mauchly-extreme').forEach((w, index) => {
    if (w === null) return; // no more subjects than contrasts
    const { sphericity } = rmAnova2(nearLevels(index), { factors: [{ name: 'a' }, { name: 'b' }] }).effects[1];
    if (!sphericity) return;
    close(sphericity.mauchly?.w, w, `case ${index}`);
    expect(Math.abs(sphericity.mauchly!.w / w - 1), `case ${index}`).toBeLessThan(1e-9);
    compared++;
  });
  expect(compared).toBeGreaterThan(150);
});

test("Friedman's test agrees with SciPy", () => {
  goldenRows('friedman').forEach(([chiSquared, p, f, fP], index) => {
    const values = ranked(index);
    const place = `case ${index}`;
    const result = friedmanTest(values);
    close(result.chiSquared, chiSquared, place);
    pClose(result.p, p, place);
    close(result.imanDavenport.f, f, place);
    pClose(result.imanDavenport.p, fP, place);
    if (index < 50) expect(nemenyiTest(values).meanRanks).toEqual(result.meanRanks);
  });
});

test("Nemenyi's critical differences are those of Demšar's Table 5", () => {
  // q at 0.05 for 2 to 10 classifiers, there to three decimals
  const q = [1.96, 2.343, 2.569, 2.728, 2.85, 2.949, 3.031, 3.102, 3.164];
  q.slice(1).forEach((critical, i) => {
    const k = i + 3;
    const values = Array.from({ length: 6 }, (_, s) => Array.from({ length: k }, (_, c) => (c * (s + 1)) % (k + 1)));
    const { criticalDifference } = nemenyiTest(values);
    expect(criticalDifference / Math.sqrt((k * (k + 1)) / (6 * 6))).toBeCloseTo(critical, 2);
  });
});
