import { expect, test } from 'vitest';
import type { Cell } from '../evaluate.js';
import { summarise } from '../evaluate.js';
import type { StudyResults } from '../results.js';
import { studyStatistics } from '../statistics.js';
import { trivialPredictors } from '../trivial.js';
import { composeReport } from './compose.js';
import { findings } from './findings.js';
import { renderHtml } from './html.js';
import { renderMarkdown } from './markdown.js';

const wobble = [0.01, -0.02, 0.015, 0, -0.005];
const cell = (encoding: string, seed: number, f1: number, counterfactual?: string): Cell & { folder: string } => ({
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

function resultsOf(cells: StudyResults['cells'], ruleBased = true): StudyResults {
  const stage = { folder: 'x', counts: { in: 3, kept: 2, dropped: { why: 1 } }, details: {} };
  const half = { before: 10, after: 8, transitions: {}, split: {}, rejected: {}, agreement: {}, truncated: {} };
  return {
    schema: 'redef.results/1',
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
      } as unknown as StudyResults['triage']['summary'],
    },
    split: stage,
    dedup: { ...stage, details: { rows: { 'train defective': 40, 'train clean': 120 } } },
    encodings: [{ encoding: 'diff-tags', ...stage, details: { tokens: 1000, tokens_lost: 250 } }],
    cells,
    conditions: summarise(cells),
    trivial: cells.length > 0 ? trivialPredictors(0.25) : [],
    statistics: studyStatistics(cells, 1),
    seed: 1,
  };
}

const strong = resultsOf(
  wobble.flatMap((w, seed) => [
    cell('diff-tags', seed, 0.6 + w),
    cell('after-only', seed, 0.3 - w),
    cell('diff-tags', seed, 0.1, 'reversed-tags'),
  ]),
);

test('the findings say what the numbers say', () => {
  expect(findings(strong)).toEqual([
    '2 labelled changes remain after duplicates and contradictions are removed; the test set has 200, of which 50 are defective (25.0%).',
    'linear: the best encoding is diff-tags with F1 0.6000; calling every change defective scores 0.4000, and 1 of 2 encodings beat that.',
    'linear: 1 of 1 pairs of encodings differ at p < .05 after Holm: diff-tags over after-only.',
    "reversed-tags changes linear's F1 on diff-tags by -0.5000 over 5 seeds, a fall beyond the spread over seeds (p < .05 after Holm).",
  ]);
  expect(findings(resultsOf([]))).toEqual(['No change reached the test split, so nothing can be said of any model.']);
});

test('rule-based votes are told at the top, a model’s are not', () => {
  const first = composeReport(strong).blocks[0]!;
  expect(first).toMatchObject({ kind: 'warning', text: expect.stringMatching(/not by a language model/) });
  expect(composeReport(resultsOf(strong.cells, false)).blocks.some(({ kind }) => kind === 'warning')).toBe(false);
});

test('the trivial predictors stand beside the models', () => {
  const markdown = renderMarkdown(composeReport(strong));
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

test('equal results, equal bytes; the page asks for nothing from outside', () => {
  const html = renderHtml(composeReport(strong));
  expect(renderHtml(composeReport(structuredClone(strong)))).toBe(html);
  expect(html).not.toMatch(/<script|<link|src=|url\(|https?:/);
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
