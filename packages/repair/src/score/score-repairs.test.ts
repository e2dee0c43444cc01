import { RedefError } from '@redef/core';
import { expect, test } from 'vitest';
import { createCSyntax } from '../syntax.js';
import { topTenTable } from './cwe-tables.js';
import { editSimilarity } from './edit-similarity.js';
import { cleanPrediction, cutTruth, perfectRank } from './perfect-prediction.js';
import { type SampleScore, scoreRepairs } from './score-repairs.js';
import { paperSeeds, summariseSeeds } from './seed-tables.js';

/** Ids are words; decoding joins them by a blank. */
const wordTokenizer = () => {
  const words: string[] = [];
  return {
    encode: (text: string) =>
      text.split(' ').map((word) => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1)),
    decode: (ids: ArrayLike<number>) => Array.from(ids, (id) => words[id]).join(' '),
  };
};

test('the papers compare with a truth cut at the model length, the strict rule with all of it', () => {
  const long = Array.from({ length: 300 }, (_, i) => `t${i}`).join(' ');
  const cut = cutTruth(long, wordTokenizer());
  expect(cut.split(' ')).toHaveLength(254);
  const prediction = `<s>${long.split(' ').slice(0, 254).join(' ')}</s><pad><pad>`;
  expect(perfectRank(['x', prediction], cut, 'paper')).toBe(2);
  expect(perfectRank(['x', prediction], long, 'strict')).toBeUndefined();
  expect(perfectRank(['x', long], long, 'strict')).toBe(2);
  expect(cutTruth('a b c d', wordTokenizer(), { maxTokens: 3, specialTokens: 1 })).toBe('a b');
});

test('special tokens and white space at the ends do not count; white space inside counts for the papers alone', () => {
  expect(cleanPrediction(' <s>a  b</s><pad>\n')).toBe('a  b');
  expect(perfectRank(['a  b'], 'a b\n', 'paper')).toBeUndefined();
  expect(perfectRank(['a  b'], 'a b\n', 'strict')).toBe(1);
  expect(perfectRank([''], '\n', 'paper')).toBe(1);
  expect(perfectRank([], 'a', 'paper')).toBeUndefined();
});

test('edit similarity is 1 for equal texts and 0 for texts with nothing in common', () => {
  expect(editSimilarity('', '')).toBe(1);
  expect(editSimilarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7, 15);
  expect(editSimilarity('abc', '')).toBe(0);
});

const truths = [
  { id: '0', source: 'CWE-787 a b c d e', target: '<S2SV_ModStart> a b c x' },
  { id: '1', source: 'CWE-787 a b c d e', target: '<S2SV_ModStart> b c d y' },
  { id: '2', source: 'CWE-20 a b c a b c', target: '<S2SV_ModStart> a b c z' },
  { id: '3', source: 'no tag', target: '\n' },
];

test('scores every seed, the mean and deviation over them, and every CWE', () => {
  const report = scoreRepairs(truths, [
    { id: '0', seed: 2, predictions: ['wrong', '<S2SV_ModStart> a b c x'] },
    { id: '2', seed: 2, predictions: ['<S2SV_ModStart> a b c z', 'q'] },
    { id: '0', seed: 10, predictions: ['<S2SV_ModStart> a b c x'] },
    { id: '1', seed: 10, predictions: ['<S2SV_ModStart> b c d y'] },
    { id: '3', seed: 10, predictions: [''] },
    { id: 'nowhere', seed: 10, predictions: ['x'] },
  ]);
  expect(report.seeds.map(({ seed, samples, missing }) => [seed, samples, missing])).toEqual([
    ['2', 4, 2],
    ['10', 4, 1],
  ]);
  expect(report.seeds[0]!.metrics).toMatchObject({ perfectPrediction: 0.5, perfectPredictionStrict: 0.5, top1: 0.25 });
  expect(report.seeds[0]!.metrics).not.toHaveProperty('top3');
  expect(report.seeds[1]!.metrics).toMatchObject({ perfectPrediction: 0.75, top1: 0.75 });
  expect(report.summary.mean.perfectPrediction).toBe(0.625);
  expect(report.summary.deviation.perfectPrediction).toBeCloseTo(0.25 / Math.SQRT2, 15);
  expect(report.cwes).toEqual([
    { cwe: 'CWE-787', samples: 2, correct: [1, 2], perfectPrediction: 0.75, perfectPredictionStrict: 0.75 },
    { cwe: 'CWE-20', samples: 1, correct: [1, 0], perfectPrediction: 0.5, perfectPredictionStrict: 0.5 },
    { cwe: 'none', samples: 1, correct: [0, 1], perfectPrediction: 0.5, perfectPredictionStrict: 0.5 },
  ]);
  expect(report.topTen.rows.map(({ rank, cwe, samples }) => [rank, cwe, samples]).slice(0, 4)).toEqual([
    [1, 'CWE-787', 2],
    [2, 'CWE-79', 0],
    [3, 'CWE-125', 0],
    [4, 'CWE-20', 1],
  ]);
  expect(report.topTen.total).toMatchObject({ samples: 3, correct: [2, 2] });
  expect(report.rejects).toEqual([
    { schema: 'redef.reject/1', id: 'nowhere', stage: 'score', reason: 'no-such-sample' },
  ]);
  expect(report.truthsCut).toBeUndefined();
});

test('counts the truths that the papers saw cut', () => {
  const tokenizer = wordTokenizer();
  const report = scoreRepairs(truths, [{ id: '0', predictions: ['<S2SV_ModStart> a b'] }], { tokenizer, maxTokens: 5 });
  expect(report.truthsCut).toBe(3);
  expect(report.seeds[0]!.metrics).toMatchObject({ perfectPrediction: 0.25, perfectPredictionStrict: 0 });
});

test('places the best predictions and checks their syntax', async () => {
  const syntax = await createCSyntax();
  const source = 'CWE-476 int f ( int * p ) { <S2SV_StartBug> return * p ; <S2SV_EndBug> }';
  const target = '<S2SV_ModStart> p ) { if ( ! p ) return 0 ;';
  const samples = ['a', 'b', 'c', 'd'].map((id) => ({ id, source, target }));
  const report = scoreRepairs(
    samples,
    [
      { id: 'a', predictions: [target] },
      { id: 'b', predictions: ['<S2SV_ModStart> p ) { if ( ! p return 0 ;'] },
      { id: 'c', predictions: ['<S2SV_ModStart> q ) { x'] },
      { id: 'd', predictions: [] },
    ],
    { syntax },
  );
  syntax.close();
  expect(report.scores.map(({ placement, syntax }) => [placement, syntax?.valid])).toEqual([
    ['placed', true],
    ['placed', false],
    ['impossible', undefined],
    [undefined, undefined],
  ]);
  expect(report.seeds[0]!.metrics).toMatchObject({
    placed: 0.5,
    ambiguous: 0,
    validSyntax: 0.25,
    noNewSyntaxError: 0.25,
  });
});

test('a sample or its predictions twice is an error', () => {
  const codeOf = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      return RedefError.isInstance(error) ? error.code : error;
    }
    return 'none';
  };
  expect(codeOf(() => scoreRepairs([truths[0]!, truths[0]!], []))).toBe('duplicate-id');
  const twice = { id: '0', seed: 1, predictions: [] };
  expect(codeOf(() => scoreRepairs(truths, [twice, { ...twice }]))).toBe('duplicate-id');
  expect(codeOf(() => scoreRepairs(truths, [twice, { ...twice, seed: 2 }]))).toBe('none');
  expect(scoreRepairs([], []).seeds).toEqual([]);
});

test("averages over seeds as R+R's table XVIII does", () => {
  const table = {
    VulRepair: [[0.4349, 0.4197, 0.4244, 0.3511, 0.4244, 0.371], 40.42],
    CodeBERT: [[0.3294, 0.3687, 0.3406, 0.2327, 0.3992, 0.3212], 33.2],
    GraphCodeBERT: [[0.4238, 0.3904, 0.3576, 0.3857, 0.3804, 0.3728], 38.51],
    UniXcoder: [[0.4045, 0.4174, 0.4467, 0.3986, 0.3499, 0.4402], 40.96],
  } as const;
  for (const [values, average] of Object.values(table)) {
    const seeds = values.map((perfectPrediction, i) => {
      return { seed: String(paperSeeds[i]), samples: 1706, missing: 0, metrics: { perfectPrediction } };
    });
    // The table cuts off what it does not print.
    expect(Math.abs(100 * summariseSeeds(seeds).mean.perfectPrediction! - average)).toBeLessThan(0.01);
  }
});

test("weighs the CWEs as R+R's table XIV does, from the counts of tables XXIII to XXX (VulRepair, RQ1)", () => {
  const counts: Record<string, [number, number[], string]> = {
    'CWE-787': [53, [22, 18, 18, 12, 17, 17], '32.7'],
    'CWE-79': [1, [0, 0, 0, 0, 0, 0], '0.0'],
    'CWE-125': [170, [52, 54, 57, 43, 54, 45], '29.9'],
    'CWE-20': [152, [73, 68, 73, 61, 71, 63], '44.8'],
    'CWE-78': [3, [1, 0, 1, 0, 1, 1], '22.2'],
    'CWE-89': [5, [2, 3, 3, 3, 3, 3], '56.7'],
    'CWE-416': [55, [33, 31, 30, 23, 28, 24], '51.2'],
    'CWE-22': [8, [3, 3, 3, 2, 3, 2], '33.3'],
    'CWE-352': [2, [0, 0, 0, 0, 0, 0], '0.0'],
  };
  const scores: SampleScore[] = Object.entries(counts).flatMap(([cwe, [samples, correct]]) =>
    paperSeeds.flatMap((seed, i) =>
      Array.from({ length: samples }, (_, n) => {
        const score = { id: `${cwe}/${n}`, seed: String(seed), cwe, returned: 50, editSimilarity: 0 };
        return n < correct[i]! ? { ...score, paperRank: 1 } : score;
      }),
    ),
  );
  const { rows, total } = topTenTable(scores);
  for (const { cwe, samples, perfectPrediction } of rows.slice(0, 9)) {
    const [expected, , printed] = counts[cwe]!;
    expect([cwe, samples, (100 * perfectPrediction).toFixed(1)]).toEqual([cwe, expected, printed]);
  }
  expect([total.samples, (100 * total.perfectPrediction).toFixed(1)]).toEqual([449, '38.0']);
});
