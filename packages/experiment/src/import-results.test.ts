import { expect, test } from 'vitest';
import { importResults } from './import-results.js';
import { composeReport } from './report/compose.js';
import { findings } from './report/findings.js';
import { renderMarkdown } from './report/markdown.js';

const seeds = [1, 2, 3, 4, 5];
const f1 = (encoding: string, seed: number): number =>
  encoding === 'diff' ? 0.6 + ((seed * 7) % 5) / 100 : 0.3 + ((seed * 3) % 5) / 100;

test('long and wide tables give the same results, whatever the spelling of their columns', async () => {
  const long = seeds.flatMap((seed) =>
    ['diff', 'after'].flatMap((Encoding) => [
      { Model: 'm', Encoding, Seed: `${seed}`, metric: 'F1', value: `${f1(Encoding, seed)}` },
      { Model: 'm', Encoding, Seed: `${seed}`, metric: 'PR-AUC', value: '0.4' },
      { Model: 'm', Encoding, Seed: `${seed}`, metric: 'BLEU', value: '17' },
    ]),
  );
  const wide = seeds.flatMap((seed) =>
    ['diff', 'after'].map((encoding) => ({
      model: 'm',
      encoding,
      seed,
      f1: f1(encoding, seed),
      pr_auc: 0.4,
      recall: '',
    })),
  );
  const results = await importResults(long);
  expect(results).toEqual(await importResults(wide));
  expect(results.conditions[0]).toMatchObject({
    encoding: 'diff',
    mean: { f1: expect.closeTo(0.62, 12), prAuc: 0.4, recall: null },
  });
  expect(results.statistics.encodings[0]!.test!.meanDifference).toBeCloseTo(0.3, 12);
  expect(results.trivial).toEqual([]);
});

test('the size of the test set brings the trivial predictors, a counterfactual its tests', async () => {
  const rows = seeds.flatMap((seed) => [
    { model: 'm', encoding: 'diff', seed, f1: f1('diff', seed), n: 1344, positives: 317 },
    {
      model: 'm',
      encoding: 'diff',
      counterfactual: 'reversed',
      seed,
      f1: f1('diff', seed + 1) - 0.2,
      n: 1344,
      positives: 317,
    },
  ]);
  const { trivial, statistics } = await importResults(rows);
  expect(trivial[0]!.f1).toBeCloseTo((2 * 317) / (1344 + 317), 12);
  expect(statistics.counterfactuals[0]).toMatchObject({ counterfactual: 'reversed', n: 5 });
});

test.each<[Record<string, unknown>[], RegExp]>([
  [[], /^the table has no rows$/],
  [
    ['BLEU', 'CodeBLEU', 'BLEU', ''].map((metric, seed) => ({ model: 'm', encoding: 'e', seed, metric, value: 17 })),
    /^no row has a metric that is known; found BLEU, CodeBLEU, known are f1, prauc, accuracy, precision, recall, /,
  ],
  [[{ model: 'm', encoding: 'e', seed: 1, metric: '', value: 0.5 }], /^no row has .+; found none, known are f1/],
  [[{ encoding: 'e', seed: 1, f1: 0.5 }], /row 1: no column model among encoding, seed, f1/],
  [[{ model: 'm', encoding: 'e', seed: 'x', f1: 0.5 }], /row 1: seed: expected a number, found "x"/],
  [[{ model: '', encoding: 'e', seed: 1, f1: 0.5 }], /row 1: model: expected a name, found nothing/],
  [[{ model: 'm', encoding: 'e', seed: '', f1: 0.5 }], /row 1: seed: expected a number, found nothing/],
  [[{ model: 'm', encoding: 'e', seed: 1.5, f1: 0.5 }], /row 1: seed: expected a whole number/],
  [[{ model: 'm', encoding: 'e', seed: 1, f1: 0.5, n: 10, positives: 11 }], /row 1: positives: 11 of 10 changes/],
  [[{ model: 'm', encoding: 'e', seed: 1, f1: 'NaN' }], /row 1: f1: expected a number, found "NaN"/],
  [
    [{ model: 'm', encoding: 'e', seed: 1, f1: 39.5 }],
    /row 1: f1: expected a value from 0 to 1, found 39.5 \(a percentage\?\)/,
  ],
  [[{ model: 'm', encoding: 'e', seed: 1, recall: 0.5 }], /row 1: no F1 for m, e, seed 1/],
  [
    [
      { model: 'm', encoding: 'e', seed: 1, f1: 0.5 },
      { model: 'm', encoding: 'e', seed: 1, f1: 0.4 },
    ],
    /row 2: a second f1/,
  ],
  [[{ model: 'm', encoding: 'e', seed: 1, f1: 0.5, F1: 0.4 }], /row 1: the columns f1 and F1 are one/],
  [[{ model: 'm', MODEL: 'n', encoding: 'e', seed: 1, f1: 0.5 }], /row 1: the columns model and MODEL are one/],
  [[{ model: 'm', encoding: 'e', seed: 1, f1: '0x1' }], /row 1: f1: expected a number, found "0x1"/],
  [[{ model: 'm', encoding: 'e', seed: '0b1', f1: 0.5 }], /row 1: seed: expected a number, found "0b1"/],
  [
    [
      { model: 'm', encoding: 'e', seed: 1, f1: 0.5, n: 100 },
      { model: 'm', encoding: 'e', seed: 2, f1: 0.5 },
      { model: 'm', encoding: 'e', seed: 3, f1: 0.5, n: 90 },
    ],
    /row 3: n: 90, and 100 in row 1: a table is of one test set/,
  ],
  [[{ model: 'm', encoding: 'e', seed: 1, metric: 'f1' }], /row 1: value: expected a number, found nothing/],
])('table %# is refused and the row named', async (rows, message) => {
  await expect(importResults(rows)).rejects.toMatchObject({
    code: 'invalid-results',
    message: expect.stringMatching(message),
  });
});

test('numbers are read as tables write them', async () => {
  const written = ['0.5', '.5', '5e-1', '+0.50', 0.5];
  const rows = written.map((f1, seed) => ({ model: 'm', encoding: 'e', seed, f1, note: 1, Note: 2 }));
  expect((await importResults(rows)).cells.map(({ f1 }) => f1)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5]);
});

test('missing cells are told, other columns and metrics are passed over', async () => {
  const ignored: string[] = [];
  const rows = [
    { model: 'm', encoding: 'a', seed: 1, metric: 'F1-score', value: 0.5, note: 'x' },
    { model: 'm', encoding: 'a', seed: 2, metric: 'f1', value: 0.6, note: '' },
    { model: 'm', encoding: 'b', seed: 1, metric: 'f1', value: 0.4, note: '' },
    { model: 'm', encoding: 'b', seed: 2, metric: 'BLEU', value: 17, note: '' },
    { model: 'm', encoding: 'b', seed: 2, metric: ' ', value: 0.4, note: '' },
  ];
  const results = await importResults(rows, { onIgnored: (metric) => ignored.push(metric) });
  expect(ignored).toEqual(['BLEU', '']);
  expect(findings(results)).toContain(
    'm: 1 of 2 conditions lack some of its 2 seeds; each comparison is over the seeds that both sides have.',
  );
});

test('a counterfactual without the results of its encoding is shown and named as compared with nothing', async () => {
  const distorted = seeds.slice(0, 2).map((seed) => ({
    model: 'a',
    encoding: 'e',
    counterfactual: 'x',
    seed,
    f1: 0.4 + seed / 10,
  }));
  const alone = await importResults(distorted);
  expect(findings(alone)).toEqual(['x has nothing to be compared with: a has no result on e without it.']);
  const report = renderMarkdown(await composeReport(alone));
  expect(report).toContain('| a | e+x |  | 0.5500 ± 0.0707 |');
  expect(report).toContain('No two-way analysis of variance: no model has a result on an encoding');
  expect(report).not.toMatch(/None was asked for|Table 3|Encodings compared|Does the counterfactual/);

  const otherSeeds = await importResults([...distorted, { model: 'a', encoding: 'e', seed: 9, f1: 0.5 }]);
  expect(findings(otherSeeds)).toContain(
    'x has nothing to be compared with: a has results on e without it for other seeds alone.',
  );
  expect(renderMarkdown(await composeReport(otherSeeds))).toContain('| a | e+x |  | 0.5500 ± 0.0707 |');

  const none = await importResults([{ model: 'a', encoding: 'e', seed: 9, f1: 0.5 }]);
  expect(renderMarkdown(await composeReport(none))).toContain('None is among the imported rows.');
});

test('the report of imported rows speaks of no line, link or column that is not there', async () => {
  const row = { model: 'm', encoding: 'e', seed: 1, f1: 0.5, recall: 0.4 };
  const report = async (size: object) =>
    renderMarkdown(await composeReport(await importResults([{ ...row, ...size }])));
  const bare = await report({});
  expect(bare).toContain('![F1 by encoding, every seed shown. One dot a seed');
  expect(bare).toContain(
    '**Every run (1)**\n\n| model | shown | seed | F1 | PR-AUC | accuracy | precision | recall |\n',
  );
  expect(bare).toContain('\n| m | e | 1 | 0.5000 |  |  |  | 0.4000 |\n');
  expect(await report({ n: 10, positives: 2 })).toContain(
    'every seed shown; the dashed line calls every change defective',
  );
});
