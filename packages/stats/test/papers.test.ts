import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { effectSizesOfF, mean, rmAnova2 } from '../src/index.js';
import { fTail, studentTail } from '../src/special/tails.js';

const papers = JSON.parse(readFileSync(new URL('./fixtures/papers.json', import.meta.url), 'utf8'));

/** Whether `printed`, a number rounded to `decimals`, can be the rounding of `value`. */
const roundsTo = (value: number, printed: number, decimals: number) =>
  Math.abs(value - printed) <= 0.5 * 10 ** -decimals + 1e-9;
const percent = (value: number) => 100 * value;

interface Printed {
  place: string;
  value: number;
  printed: number | null;
  decimals: number;
}
const misprints = (all: readonly Printed[]) =>
  all
    .filter(({ value, printed, decimals }) => printed !== null && !roundsTo(value, printed, decimals))
    .map(({ place, value, printed }) => `${place}: ${printed}, but the seeds give ${value.toFixed(4)}`);

test("ReDef's Table 4: effect sizes and p follow from F and its degrees of freedom", () => {
  for (const [effect, f, dfNumerator, dfDenominator, p, partialEtaSquared, cohensF] of papers.table4.rows) {
    const sizes = effectSizesOfF(f, dfNumerator, dfDenominator);
    expect(roundsTo(sizes.partialEtaSquared, partialEtaSquared, 2), effect).toBe(true);
    expect(roundsTo(sizes.cohensF, cohensF, 2), effect).toBe(true);
    const tail = fTail(f, dfNumerator, dfDenominator);
    if (p < 0.01) expect(tail, effect).toBeLessThan(p);
    else expect(roundsTo(tail, p, 2), effect).toBe(true);
  }
});

test("ReDef's degrees of freedom are those of 4 models, 5 encodings and 10 seeds", () => {
  const values = Array.from({ length: 10 }, (_, s) =>
    Array.from({ length: 4 }, (_, i) =>
      Array.from({ length: 5 }, (_, j) => ((s * 7 + i * 3 + j * 5) % 11) + s * i * j * 0.1),
    ),
  );
  const { effects } = rmAnova2(values, { factors: [{ name: 'Model' }, { name: 'Encoding' }] });
  expect(effects.map((e) => [e.dfNumerator, e.dfDenominator])).toEqual(
    papers.table4.rows.map((row: number[]) => [row[2], row[3]]),
  );
});

test("ReDef's section 5, RQ3: p = 0.0045 for reversed tags follows from dz = 1.33, 10 seeds and Holm over four tests", () => {
  const oneSided = (dz: number) => 4 * studentTail(dz * Math.sqrt(10), 9); // the smallest of four p-values
  expect(oneSided(1.335)).toBeLessThan(0.0045);
  expect(oneSided(1.325)).toBeGreaterThan(0.0045);
});

test("ReDef's Table 5: the percentages of change follow from the means", () => {
  for (const [original, perturbed, change] of papers.table5.rows) {
    expect(roundsTo(percent((perturbed - original) / original), change, 2)).toBe(true);
  }
});

test("R+R's Tables XVIII to XXII give the means of Tables V, VII, IX, XI and XIII", () => {
  const rows: [string, string, string, number[], number, number, number | null][] = papers.perfectPrediction.rows;
  const replicated = new Map(rows.filter(([, table]) => table === 'V').map((row) => [row[2], mean(row[3])]));
  const all = rows.flatMap(([seeds, table, model, values, withSeeds, printed, share]): Printed[] => [
    { place: `${seeds} ${model}`, value: percent(mean(values)), printed: withSeeds, decimals: 2 },
    { place: `${table} ${model}`, value: percent(mean(values)), printed, decimals: 2 },
    {
      place: `${table} ${model}, share of RQ1`,
      value: percent(mean(values) / replicated.get(model)!),
      printed: share,
      decimals: table === 'IX' ? 0 : 1,
    },
  ]);
  expect(all).toHaveLength(60);
  // 25.5 divides by 40.24, a misprint of Table V's 40.42; the other two are cut, not rounded.
  expect(misprints(all)).toEqual([
    'VII GraphCodeBERT, share of RQ1: 13.7, but the seeds give 13.7750',
    'XIII VulRepair, share of RQ1: 25.5, but the seeds give 25.4009',
    'XIII UniXcoder, share of RQ1: 15, but the seeds give 15.0816',
  ]);
});

test("R+R's Tables XXIII to XXX give the means of Table XIV", () => {
  type CweRow = [string, string, string, string, number, number[], number, number];
  const rows: CweRow[] = papers.topCwes.rows;
  const all = rows.flatMap(([seeds, cwe, model, data, samples, correct, withSeeds, printed]): Printed[] => [
    { place: `${seeds} ${model} ${data}`, value: percent(mean(correct) / samples), printed: withSeeds, decimals: 1 },
    { place: `XIV ${cwe} ${model} ${data}`, value: percent(mean(correct) / samples), printed, decimals: 1 },
  ]);
  expect(all).toHaveLength(2 * 8 * 4 * 3);
  expect(misprints(all)).toEqual([
    'XXIII UniXcoder RQ2B: 5, but the seeds give 5.0505',
    'XIV CWE-787 UniXcoder RQ2B: 5, but the seeds give 5.0505',
    'XXIV GraphCodeBERT RQ3B: 10.5, but the seeds give 10.4478',
    'XIV CWE-125 GraphCodeBERT RQ3B: 10.5, but the seeds give 10.4478',
    'XXIV UniXcoder RQ1: 42.7, but the seeds give 42.6471',
    'XIV CWE-125 UniXcoder RQ1: 42.7, but the seeds give 42.6471',
    'XXIV UniXcoder RQ2B: 12.2, but the seeds give 12.2549',
    'XIV CWE-125 UniXcoder RQ2B: 12.2, but the seeds give 12.2549',
    'XXVIII CodeBERT RQ2B: 5.8, but the seeds give 5.7471',
    'XIV CWE-416 CodeBERT RQ2B: 5.8, but the seeds give 5.7471',
  ]);
  const totals = papers.topCweTotals.rows.map(([model, data, samples, printed]: [string, string, number, number]) => ({
    place: `XIV total ${model} ${data}`,
    value: percent(
      rows.filter((row) => row[2] === model && row[3] === data).reduce((sum, row) => sum + mean(row[5]), 0) / samples,
    ),
    printed,
    decimals: 1,
  }));
  expect(totals).toHaveLength(12);
  expect(misprints(totals)).toEqual([]);
});

test("R+R's Tables XXXI to XXXV give Tables XVI and XVII", () => {
  const bugFix = papers.bugFix.rows.flatMap(
    ([model, beam, value, beside, printed]: [string, number, number, number, number]): Printed[] => [
      { place: `XXXI ${model} beam ${beam}`, value: percent(value), printed: beside, decimals: 2 },
      { place: `bug-fix ${model} beam ${beam}`, value: percent(value), printed, decimals: beam === 50 ? 2 : 1 },
    ],
  );
  expect(misprints(bugFix)).toEqual(['bug-fix VulRepair beam 3: 7.4, but the seeds give 7.2900']);

  type TransferRow = [string, string, number, number[], number, number | null];
  const transfer = (papers.transfer.rows as TransferRow[]).map(
    ([, model, beam, values, , printed]): Printed => ({
      place: `transfer ${model} beam ${beam}`,
      value: percent(mean(values)),
      printed,
      decimals: beam === 50 ? 2 : 1,
    }),
  );
  expect(misprints(transfer)).toEqual(['transfer GraphCodeBERT beam 5: 19, but the seeds give 18.9483']);

  // The means beside the seeds agree at beams 5 and 50; those at 10 to 40 were taken of coarser numbers, up to 0.08 off.
  const beside = (papers.transfer.rows as TransferRow[]).map(
    ([table, model, beam, values, printed]): Printed => ({
      place: `${table} ${model} beam ${beam}`,
      value: percent(mean(values)),
      printed,
      decimals: 2,
    }),
  );
  expect(new Set(misprints(beside).map((line) => Number(line.match(/beam (\d+)/)![1])))).toEqual(
    new Set([1, 3, 10, 20, 30, 40]),
  );
  for (const { place, value, printed } of beside) expect(Math.abs(value - printed!), place).toBeLessThan(0.085);

  const rq3b = papers.perfectPrediction.rows.filter((row: string[]) => row[1] === 'XIII');
  for (const [model, printed] of papers.vulnerabilityRepair.rows) {
    const row = rq3b.find((candidate: string[]) => candidate[2] === model);
    expect(roundsTo(percent(mean(row[3])), printed, 2), model).toBe(true);
  }
});
