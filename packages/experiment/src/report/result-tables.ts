import type { RmAnova2Result } from '@redef/stats';
import { cellTitle, shownName } from '../cells/cell.js';
import type { Condition } from '../evaluate.js';
import type { StudyResults } from '../results.js';
import { anovaSentence } from './anova-sentence.js';
import { type Block, type Link, left, right, type Table } from './document.js';
import { metricCells, metricColumns, plusMinus, pValue, signed, twoDigits, whole } from './format.js';

export function resultTable(results: StudyResults): Table {
  const { conditions } = results;
  return {
    kind: 'table',
    caption: `Test results, mean ± standard deviation over seeds (ReDef, Table 3): ${testSets(results)}`,
    columns: [left('model'), left('encoding'), right('seeds'), ...metricColumns()],
    rows: [
      ...conditions
        .filter(({ counterfactual }) => counterfactual === undefined)
        .map((condition) => ({
          cells: [condition.model, condition.encoding, runsOf(condition), ...plusMinus(condition)],
        })),
      ...trivialRows(results, ['none', '']),
    ],
  };
}

function testSets({ cells }: StudyResults): string {
  const folds = new Map(cells.map(({ fold, n, positives }) => [fold, { n, positives }]));
  const known = [...folds.values()].flatMap(({ n, positives }) =>
    n === undefined || positives === undefined ? [] : [{ n, positives }],
  );
  if (known.length === 0) return 'size of the test set unknown';
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const sizes = `${sum(known.map(({ n }) => n))} test changes, ${sum(known.map(({ positives }) => positives))} defective`;
  return folds.size > 1 ? `mean of ${folds.size} projects left out in turn, ${sizes} in all` : sizes;
}

export function trivialRows({ trivial }: StudyResults, between: readonly string[]): Table['rows'] {
  return trivial.map((predictor) => ({
    cells: [predictor.name, ...between, ...metricCells(predictor)],
    emphasis: 'baseline' as const,
  }));
}

/** Number of seeds, with a link to their rows in {@link runTable}. */
function runsOf(condition: Condition): Link {
  return { text: whole(condition.seeds.length), href: `#${anchorOf(condition)}` };
}

const anchorOf = (condition: Pick<Condition, 'model' | 'encoding' | 'counterfactual'>): string =>
  `run-${condition.model}-${shownName(condition)}`.replace(/[^\w-]+/g, '-');

/** Every cell with its figures, each linked to the files it came from; imported ones have none. */
export function runTable({ cells }: StudyResults): Table {
  const seen = new Set<string>();
  const folds = cells.some(({ fold }) => fold !== undefined);
  const files = cells.some(({ folder }) => folder !== undefined);
  return {
    kind: 'table',
    collapsed: true,
    caption: `Every run (${cells.length})${files ? ": the figures link to the cell's files" : ''}`,
    columns: [
      left('model'),
      left('shown'),
      ...(folds ? [left('left out')] : []),
      right('seed'),
      ...metricColumns(),
      ...(files ? [left('files')] : []),
    ],
    rows: cells.map((cell) => {
      const anchor = anchorOf(cell);
      const first = !seen.has(anchor);
      seen.add(anchor);
      const file = (text: string, name: string): string | Link =>
        cell.folder === undefined || text === '' ? text : { text, href: `../${cell.folder}/${name}` };
      return {
        ...(first && { id: anchor }),
        cells: [
          cell.model,
          shownName(cell),
          ...(folds ? [cell.fold ?? ''] : []),
          String(cell.seed),
          ...metricCells(cell).map((figure) => file(figure, 'metrics.json')),
          ...(files ? [file(cell.folder === undefined ? '' : 'predictions', 'predictions.jsonl')] : []),
        ],
      };
    }),
  };
}

export function missingBlocks({ missing }: StudyResults): Block[] {
  if (missing.length === 0) return [];
  return [
    { kind: 'heading', text: 'Missing runs' },
    {
      kind: 'table',
      caption: `${missing.length} planned runs have no result; nothing above counts them`,
      columns: [left('run'), left('why')],
      rows: missing.map((cell) => ({
        cells: [cellTitle(cell), cell.error ? `failed, ${cell.error.code}: ${cell.error.message}` : 'not run yet'],
      })),
    },
  ];
}

export function comparisonBlocks({ statistics }: StudyResults): Block[] {
  const { anova, mainEffect, encodings } = statistics;
  return [
    { kind: 'paragraph', text: anovaSentence(statistics) },
    ...(anova ? [anovaTable(anova)] : []),
    {
      kind: 'table',
      caption:
        'Encodings compared on the means over models and within each model: paired t-tests on F1, Holm-adjusted by family',
      columns: [
        left('model'),
        left('first'),
        left('second'),
        right('mean difference'),
        right('t'),
        right('p'),
        right('p, Holm'),
        right('d_z'),
      ],
      rows: [...(mainEffect?.comparisons ?? []), ...encodings].map(({ model, first, second, test, pHolm }) => ({
        cells: [
          model,
          first,
          second,
          ...(test
            ? [signed(test.meanDifference), twoDigits(test.t), pValue(test.p), pValue(pHolm!), twoDigits(test.cohensDz)]
            : ['not testable', '', '', '', '']),
        ],
      })),
    },
  ];
}

function anovaTable({ effects }: RmAnova2Result): Table {
  return {
    kind: 'table',
    caption: 'Two-way repeated-measures analysis of variance of F1, seeds as subjects (ReDef, Table 4)',
    columns: [
      left('effect'),
      right('F'),
      right('df'),
      right('df, error'),
      right('p'),
      right('p, Greenhouse-Geisser'),
      right('partial η²'),
      right('f'),
    ],
    rows: effects.map(({ name, f, dfNumerator, dfDenominator, p, sphericity, partialEtaSquared, cohensF }) => ({
      cells: [
        name,
        f.toFixed(2),
        `${dfNumerator}`,
        `${dfDenominator}`,
        pValue(p),
        sphericity ? pValue(sphericity.pGreenhouseGeisser) : '',
        partialEtaSquared.toFixed(2),
        cohensF.toFixed(2),
      ],
    })),
  };
}
