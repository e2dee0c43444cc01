import { expect, test } from 'vitest';
import { auditData } from '../audit-data.js';
import { findCorpusOverlap } from '../corpus-overlap.js';
import { estimateInflation } from '../inflation.js';
import { renderAuditHtml } from './html.js';
import { renderAuditMarkdown } from './markdown.js';
import { auditVerdicts } from './verdicts.js';

const rows = (...sources: string[]) => sources.map((source) => ({ source }));
const sets = {
  train: rows('CWE-1 a { }', 'CWE-1 a { }', 'CWE-2 b { }'),
  test: rows('CWE-1 a { }', 'CWE-3 b { }', 'CWE-4 c {'),
};

test('a table for a paper', async () => {
  const audit = await auditData(sets, { levels: [] });
  const parts = {
    overlap: await findCorpusOverlap({ 'bug|fix': rows('CWE-000 c {') }, sets),
    inflation: [await estimateInflation([{ correct: 1 }, { correct: 0 }, { correct: 0 }], audit)],
  };
  expect(renderAuditMarkdown(audit, parts)).toMatchInlineSnapshot(`
    "# Data audit

    - Of the 3 rows of test, 1 (33.3%) stand in another set too.
    - With the CWE tag left out it is 2.
    - Of the 3 rows of train, 1 repeat an earlier one.
    - Codes that stand under several labels: 1.

    **Duplicates within and across the sets**

    | Level        | Set   | Rows | In-set duplicates | Unique | Cross-set duplicates | Left when cut from train | Left when cut from test |
    | ------------ | ----- | ---: | ----------------: | -----: | -------------------: | -----------------------: | ----------------------: |
    | exact        | train |    3 |                 1 |      2 |                    1 |                        1 |                       2 |
    |              | test  |    3 |                 0 |      3 |                      |                        3 |                       2 |
    | tag-stripped | train |    3 |                 1 |      2 |                    2 |                        0 |                       2 |
    |              | test  |    3 |                 0 |      3 |                      |                        3 |                       1 |

    Compared: source. The first of several equal rows is kept and is no duplicate.

    **Codes under several labels**

    | Label   | Codes | Rows | within train | within test | only across sets |
    | ------- | ----: | ---: | -----------: | ----------: | ---------------: |
    | CWE tag |     1 |    2 |            0 |           0 |                1 |

    **Overlap with bug\\|fix**

    | Set   | Rows | in the corpus | Unique | in the corpus | Share of rows |
    | ----- | ---: | ------------: | -----: | ------------: | ------------: |
    | train |    3 |             0 |      2 |             0 |          0.0% |
    | test  |    3 |             1 |      3 |             1 |         33.3% |

    Level: tag-stripped+marker-stripped.

    **What the leak was worth**

    | Predictions | Level | Score   | Leaked rows |                  on them | Clean rows |              on them |               Overall |              Inflation |
    | ----------- | ----- | ------- | ----------: | -----------------------: | ---------: | -------------------: | --------------------: | ---------------------: |
    | predictions | exact | correct |           1 | 100.0% (20.7% to 100.0%) |          2 | 0.0% (0.0% to 65.8%) | 33.3% (6.1% to 79.2%) | 33.3% (-1.0% to 33.3%) |

    Inflation is the overall score less that on clean rows. The 95% intervals are Wilson and Newcombe for shares of correct predictions, and bootstrap percentiles for F1.

    **Damaged or odd rows**

    | Issue              | train | test |
    | ------------------ | ----: | ---: |
    | truncated-function |     0 |    1 |
    "
  `);
});

test('names from files never become markup', async () => {
  const hostile = '</td><script>alert(1)</script>|`*';
  const audit = await auditData(
    {
      [hostile]: [
        { [hostile]: 'a', label: 0 },
        { [hostile]: 'a', label: hostile },
      ],
      b: [{ [hostile]: 'a', label: 1 }],
    },
    { key: [hostile], layout: { labels: ['label'] } },
  );
  const html = renderAuditHtml(audit);
  expect(html).not.toContain('<script');
  expect(html).toContain('&#60;script&#62;');
  const table = renderAuditMarkdown(audit)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  expect(table.length).toBeGreaterThan(4);
  expect(renderAuditMarkdown(audit)).not.toMatch(/(^|[^\\])<script/);
});

test('verdicts say that there is nothing to say', async () => {
  expect(auditVerdicts(await auditData({ train: rows('a'), test: rows('b') }))).toEqual([
    'No row of test stands in another set.',
  ]);
  expect(auditVerdicts(await auditData({ data: [] }))).toEqual(['data has no rows.']);
  expect(auditVerdicts(await auditData({ data: rows('a', 'b') }))).toEqual([
    'No row repeats another, and no code stands under several labels.',
  ]);
});
