import { expect, test } from 'vitest';
import { type CurveRun, conditionCurves, interpolatedPrecision, lengthDistribution } from '../curves.js';
import type { CellResult } from '../evaluate.js';
import { type StudyData, type StudyResults, tabulate } from '../results.js';
import { composeReport } from './compose.js';
import { findings } from './findings.js';
import { renderHtml } from './html.js';
import { renderMarkdown } from './markdown.js';

const wobble = [0.01, -0.02, 0.015, 0, -0.005];
const cell = (
  encoding: string,
  seed: number,
  f1: number,
  counterfactual?: string,
): CellResult & { folder: string } => ({
  model: 'linear',
  encoding,
  ...(counterfactual !== undefined && { counterfactual }),
  seed,
  n: 200,
  positives: 50,
  f1,
  prAuc: 0.3,
  accuracy: 0.6,
  precision: 0.3,
  recall: 0.5,
  undefinedBecause: {},
  folder: `runs/linear/${counterfactual ?? encoding}/${seed}/predictions`,
});

const curveRuns: CurveRun[] = [0, 1].map((seed) => ({
  model: 'linear',
  encoding: 'diff-tags',
  predictions: Array.from({ length: 40 }, (_, i) => ({
    schema: 'redef.prediction/1',
    id: `${i}`,
    model: 'linear',
    encoding: 'diff-tags',
    seed,
    split: 'test',
    truth: i % 4 === 0 ? 1 : 0,
    score: ((i * 7 + seed) % 40) / 40,
    threshold: 0.5,
  })),
  training: {
    engine: 'linear',
    epochs: [1, 2, 3].map((epoch) => ({ epoch, trainLoss: 1 / epoch, validationF1: 0.2 * epoch })),
    bestEpoch: 3,
    selectedByValidation: true,
    threshold: 0.5,
    files: [],
  },
}));

function resultsOf(cells: StudyResults['cells'], ruleBased = true): StudyResults {
  const stage = { folder: 'x', counts: { in: 3, kept: 2, dropped: { why: 1 } }, details: {} };
  const half = { before: 10, after: 8, transitions: {}, split: {}, rejected: {}, agreement: {}, truncated: {} };
  return {
    data: {
      projects: [{ project: 'demo', head: 'f'.repeat(40), ...stage, details: { history: { commits: 12345 } } }],
      triage: {
        ...stage,
        summary: {
          schema: 'redef.triage-summary/1',
          rule: 'unanimous-ab',
          ballots: 3,
          rule_based: ruleBased,
          defective: half,
          clean: half,
          voters: [],
          pairs: [],
        } as unknown as StudyData['triage']['summary'],
      },
      splits: [{ split: stage, dedup: { ...stage, details: { rows: { 'train defective': 40, 'train clean': 120 } } } }],
      encodings: [{ encoding: 'diff-tags', models: ['linear'], ...stage, details: { tokens: 1000, tokens_lost: 250 } }],
      classes: [
        { project: 'demo', label: 'defective', count: 40 },
        { project: 'demo', label: 'clean', count: 120 },
      ],
      lengths: [
        lengthDistribution(
          'lexical/1',
          Array.from({ length: 300 }, (_, i) => 10 + 5 * i),
        ),
      ],
    },
    ...tabulate(cells, 1),
    missing: [],
    curves: cells.length === 0 ? [] : [conditionCurves(curveRuns)],
  };
}

const strong = resultsOf(
  wobble.flatMap((w, seed) => [
    cell('diff-tags', seed, 0.6 + w),
    cell('after-only', seed, 0.3 - w),
    cell('diff-tags', seed, 0.1, 'reversed-tags'),
  ]),
);

const twoModels = resultsOf(
  ['linear', 'other'].flatMap((model) =>
    wobble.flatMap((w, seed) => [
      { ...cell('diff-tags', seed, 0.6 + w), model },
      { ...cell('after-only', seed, 0.3 + (model === 'linear' ? -w : w / 2)), model },
    ]),
  ),
);

test('the findings say what the numbers say', () => {
  expect(findings(strong)).toEqual([
    '2 labelled changes remain after duplicates and contradictions are removed; the test set has 200 changes, of which 50 are defective (25.0%).',
    'linear: the best encoding is diff-tags with F1 0.6000; calling every change defective scores 0.4000, and 1 of 2 encodings beat that.',
    'linear: 1 of 1 pairs of encodings differ at p < .05 after Holm: diff-tags over after-only.',
    "reversed-tags changes linear's F1 on diff-tags by −0.5000 over 5 seeds, a fall beyond the spread over seeds (p < .05 after Holm).",
    'All tests compare seeds on the same test changes: they tell of chance in training, not of how the figures would move on other changes.',
  ]);
  expect(findings(resultsOf([]))).toEqual(['No change reached the test split, so nothing can be said of any model.']);
  const failed = {
    model: 'linear',
    encoding: 'e',
    seed: 1,
    key: 'k',
    error: { code: 'c', message: 'one class alone' },
  };
  expect(findings({ ...resultsOf([]), missing: [failed] })).toEqual([
    'None of 1 planned runs has a result, so nothing can be said of any model. The first that failed: one class alone.',
  ]);
});

test('a fall that is significant and within the margin of equivalence is told as both, as RQ3 does', () => {
  const losses = [1, 3, 6, 2, 4, 5, 3, 7, 0, 4].map((loss) => loss / 1000); // mean 0.0035
  const lossesOf = (scale: number, shift = 0) =>
    findings(
      resultsOf(
        losses.flatMap((loss, seed) => [
          cell('diff-tags', seed, 0.6),
          cell('diff-tags', seed, 0.6 - scale * loss - shift, 'reversed-tags'),
        ]),
      ),
    ).find((sentence) => sentence.startsWith('reversed-tags'));
  expect(lossesOf(1)).toBe(
    "reversed-tags changes linear's F1 on diff-tags by −0.0035 over 10 seeds, a fall beyond the spread over seeds (p < .05 after Holm), yet one of less than 0.01 (p < .05), so it is negligible in practice.",
  );
  expect(lossesOf(1, -0.0035)).toMatch(/: less than 0\.01 either way \(p < \.05\), so it is unchanged in practice\.$/);
  expect(lossesOf(10)).toMatch(/, a fall beyond the spread over seeds \(p < \.05 after Holm\)\.$/);
  expect(lossesOf(10, -0.035)).toMatch(/neither a fall nor equality within 0\.01 can be told/);
});

test('every p-value under a caption that speaks of Holm stands beside its adjusted one', async () => {
  const cells = wobble.flatMap((w, seed) => [
    cell('diff-tags', seed, 0.6),
    cell('diff-tags', seed, 0.5 + w, 'reversed-tags'),
    cell('diff-tags', seed, 0.5 - w, 'swapped-blocks'),
  ]);
  const markdown = renderMarkdown(await composeReport(resultsOf(cells)));
  expect(markdown).toContain('| p | p, Holm | p, Wilcoxon | p, Wilcoxon, Holm | p, equivalent |');
  expect(markdown).toMatch(/reversed-tags \|.* \| \\< \.001 \| \\< \.001 \| \.031 \| \.063 \|/);
  expect(markdown).toMatch(/less than 0\.01, not adjusted\*\*/);
});

test('counterfactuals without a result are not said to be unasked for', async () => {
  const results = resultsOf([cell('diff-tags', 1, 0.5)]);
  const { folder: _, ...failed } = cell('diff-tags', 1, 0, 'reversed-tags');
  expect(renderMarkdown(await composeReport(results))).toContain('None was asked for.');
  expect(renderMarkdown(await composeReport({ ...results, missing: [{ ...failed, key: 'k' }] }))).toContain(
    '## Counterfactuals\n\nNone has a result.\n',
  );
});

test('runs with an undefined metric are counted where a table shows it', () => {
  const of = (...undefinedBecause: Record<string, string>[]) =>
    findings(
      resultsOf(undefinedBecause.map((why, seed) => ({ ...cell('a', seed, 0.5), undefinedBecause: why }))),
    ).filter((sentence) => sentence.includes('undefined'));
  expect(of({ mcc: 'nothing is flagged' }, {})).toEqual([]);
  expect(of({ mcc: 'nothing is flagged' }, { mcc: 'nothing is flagged', precision: 'nothing is flagged' })).toEqual([
    '1 of 2 runs leave a metric of the tables undefined; it is counted at its stated value (results.json names them).',
  ]);
});

test('a model that finds nothing has no best encoding', () => {
  const nothing = strong.cells.map((cell) => ({ ...cell, f1: 0 }));
  expect(findings(resultsOf(nothing))).toEqual(
    expect.arrayContaining([
      'linear: F1 is 0 on every encoding: no run finds a defective change.',
      "reversed-tags cannot make linear's F1 on diff-tags fall: it is 0 without it.",
    ]),
  );
});

test('with two models the findings give the analysis of variance and the pairs that differ', () => {
  expect(findings(twoModels).find((sentence) => sentence.includes('ANOVA'))).toMatch(
    /On the means over its models: 1 of 1 pairs of encodings differ at p < \.05 after Holm: diff-tags over after-only\.$/,
  );
});

test('what cannot be tested is not said to be equal', () => {
  const untestable = [resultsOf([cell('a', 1, 0.9), cell('b', 1, 0.3)])];
  untestable.push(resultsOf([1, 2, 3].flatMap((seed) => [cell('a', seed, 0.9), cell('b', seed, 0.3)])));
  for (const results of untestable) {
    expect(findings(results)).toContain(
      'linear: no pair of encodings can be tested: without a spread over seeds of the difference there is no test.',
    );
  }
  const without = 'cannot be tested: without a spread over seeds of the difference there is no test.';
  const partly = (apart: number) =>
    findings(
      resultsOf(
        wobble.flatMap((w, seed) => [
          cell('a', seed, 0.5 + w),
          cell('b', seed, 0.5 - apart - w),
          cell('c', seed, 0.49 + w),
        ]),
      ),
    );
  expect(partly(0.3)).toContain(
    `linear: 2 of the 2 pairs of encodings that can be tested differ at p < .05 after Holm: a over b; c over b. 1 ${without}`,
  );
  expect(partly(0.005)).toContain(
    `linear: none of the 2 pairs of encodings that can be tested differs beyond the spread over seeds. 1 ${without}`,
  );
});

test('a model that is not in the analysis of variance is named with the reason', async () => {
  const once = { ...cell('diff-tags', 0, 0.5), model: 'once' };
  const results = resultsOf([...twoModels.cells, once]);
  const markdown = renderMarkdown(await composeReport(results));
  expect(markdown).toContain('Left out of it: once (it has fewer than two encodings).');
  expect(markdown).toContain('| all models | diff-tags | after-only |');
});

test('a project left out without any result leaves no mean, and the report says so', async () => {
  const of = (fold: string) => strong.cells.map((one) => ({ ...one, fold }));
  const cells = [...of('x'), ...of('y')];
  const results = { ...resultsOf(cells), ...tabulate(cells, 1, { folds: ['x', 'y', 'z'] }) };
  expect(results.conditions).toEqual([]);
  expect(findings(results)).toContain(
    'No model has a result on all 3 projects left out with one seed, so there is no mean to compare.',
  );
  expect(renderHtml(await composeReport(results))).toContain('no mean to compare');
});

test('every run is listed with links to its files, and with the project left out where one was', async () => {
  expect(renderMarkdown(await composeReport(strong))).toContain(
    "**Every run (15): the figures link to the cell's files**\n\n| model | shown | seed | F1 | PR-AUC | accuracy | precision | recall | files |\n",
  );
  const folded = renderMarkdown(await composeReport(resultsOf(strong.cells.map((one) => ({ ...one, fold: 'x' })))));
  expect(folded).toContain('| model | shown | left out | seed | F1 |');
  expect(folded).toMatch(/\n\| linear \| diff-tags \| x \| 0 \| \[0\.6100\]\(.+\) \| \[predictions\]\(/);
});

test('an audit of the labels stands in the findings and as Table 2', async () => {
  const results = resultsOf(strong.cells);
  results.data!.audit = {
    schema: 'redef.audit-report/1',
    questions: 'labels',
    items: 100,
    final: 100,
    waiting: 0,
    disputed: 0,
    reviewers: ['a', 'b'],
    by_question: [
      {
        question: 'label',
        text: 'Is the label right?',
        values: ['correct', 'ambiguous', 'wrong'],
        rows: [{ who: 'adjudicated', counts: { correct: 92, ambiguous: 5, wrong: 3 }, unanswered: 0 }],
        agreement: [],
      },
    ],
    precision: { title: 'Label precision', of: 100, count: 92, value: 0.92, interval: { low: 0.85, high: 0.96 } },
  };
  const markdown = renderMarkdown(await composeReport(results));
  expect(markdown).toContain('| adjudicated | 92 | 5 | 3 | 0 |');
  expect(markdown).toContain('- Audit of the labels: Label precision, 92 of 100, 92.0% (95% interval 85.0% to 96.0%).');
});

test('what chat models gave no answer to is told by model and reason', async () => {
  const asked = strong.cells.map((cell, i) => ({ ...cell, model: 'chat', unanswered: i === 0 ? { refused: 3 } : {} }));
  const results = resultsOf([...strong.cells, ...asked]);
  const markdown = renderMarkdown(await composeReport(results));
  expect(markdown).toContain(
    '| model | asked | refused | unreadable | too long |\n|---|--:|--:|--:|--:|\n| chat | 3,000 | 3 | 0 | 0 |',
  );
  expect(findings(results)).toContain(
    'chat gave no answer to some of 3,000 questions (3 refused): each counts as not flagged.',
  );
  expect(findings(strong).join()).not.toContain('no answer');
});

test('rule-based votes are told at the top, a model’s are not', async () => {
  const first = (await composeReport(strong)).blocks[0]!;
  expect(first).toMatchObject({ kind: 'warning', text: expect.stringMatching(/not by a language model/) });
  expect((await composeReport(resultsOf(strong.cells, false))).blocks.some(({ kind }) => kind === 'warning')).toBe(
    false,
  );
});

test('the trivial predictors stand beside the models', async () => {
  const markdown = renderMarkdown(await composeReport(strong));
  for (const row of [
    '| all defective |',
    '| random at prevalence |',
    '| always clean |',
    '| linear | diff-tags | 5 | 0.6000 ± 0.0137 |',
  ]) {
    expect(markdown).toContain(row);
  }
  expect(markdown).toContain('12,345');
});

test('equal results, equal bytes; the page asks for nothing from outside', async () => {
  const html = renderHtml(await composeReport(strong));
  expect(renderHtml(await composeReport(structuredClone(strong)))).toBe(html);
  expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/<script|<link|src=|url\(|https?:/);
  expect(html).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
});

test('text stays text in both forms', () => {
  const hostile = {
    title: '<img src=x onerror=alert(1)>|`*',
    blocks: [{ kind: 'paragraph' as const, text: '</p><script>&"\'' }],
  };
  expect(renderHtml(hostile)).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(renderHtml(hostile)).toContain('&lt;/p&gt;&lt;script&gt;&amp;&quot;&#39;');
  expect(renderMarkdown(hostile)).toBe('# \\<img src=x onerror=alert(1)\\>\\|\\`\\*\n\n\\</p\\>\\<script\\>&"\'\n');
});

test('every figure of the protocol is drawn, stands alone as a file and has words for those who do not see it', async () => {
  const figures = (await composeReport(strong)).blocks.flatMap((block) =>
    block.kind === 'figure' ? [block.figure] : [],
  );
  expect(figures.map(({ name }) => name)).toEqual([
    'class-counts',
    'function-lengths',
    'f1-by-encoding',
    'precision-recall',
    'calibration',
    'learning',
    'training-loss',
    'sensitivity',
  ]);
  for (const { svg, title } of figures) {
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).toContain(`aria-label="${title.slice(0, 20)}`);
    expect(svg).not.toMatch(/NaN|undefined|⚠/); // Plot warns of a doubtful chart inside it
  }
});

test('interpolated precision is the best of any threshold at that recall or more', () => {
  const rows = [1, 0, 1, 0].map((truth, i) => ({ truth: truth as 0 | 1, score: 1 - i / 10 }));
  const precision = interpolatedPrecision(rows);
  expect([precision[0], precision[25], precision[26], precision[50]]).toEqual([1, 1, 2 / 3, 2 / 3]);
  const tied = interpolatedPrecision(rows.map(({ truth }) => ({ truth, score: 0.5 })));
  expect(new Set(tied)).toEqual(new Set([0.5]));
});
