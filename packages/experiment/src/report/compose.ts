import { describe, type RmAnova2Result } from '@redef/stats';
import type { Condition } from '../evaluate.js';
import type { StudyData, StudyResults } from '../results.js';
import { type TableMetrics, tableMetricNames } from '../trivial.js';
import { type Block, left, type ReportDocument, right, type Table } from './document.js';
import { drawFigures, type Figure } from './figures.js';
import { findings } from './findings.js';

/** Lays a study's results out as a report. The same results give the same document. */
export function composeReport(results: StudyResults): ReportDocument {
  const { data } = results;
  const figures = new Map(drawFigures(results).map((figure) => [figure.name, figure]));
  return {
    title: data
      ? `Change-level defect prediction: ${data.projects.map(({ project }) => project).join(', ')}`
      : 'Change-level defect prediction: imported results',
    blocks: [
      ...(data?.triage.summary.rule_based ? [ruleBasedWarning] : []),
      { kind: 'heading', text: 'Findings' },
      { kind: 'list', items: findings(results) },
      ...(data
        ? [
            { kind: 'heading' as const, text: 'Data' },
            miningTable(data),
            droppedTable(data),
            triageTable(data),
            splitTable(data),
            ...figure(figures, 'class-counts', 'function-lengths'),
          ]
        : []),
      { kind: 'heading', text: 'Encodings' },
      ...(data ? [encodingTable(data)] : []),
      resultTable(results),
      ...figure(figures, 'f1-by-encoding', 'precision-recall', 'calibration', 'learning'),
      ...comparisonBlocks(results),
      { kind: 'heading', text: 'Counterfactuals' },
      ...counterfactualBlocks(results),
      ...figure(figures, 'sensitivity'),
      { kind: 'heading', text: 'Where the numbers come from' },
      {
        kind: 'list',
        items: data ? sources(data) : ['the imported rows; results.json holds every number on this page'],
      },
    ],
  };
}

export const ruleBasedWarning: Block & { kind: 'warning' } = {
  kind: 'warning',
  text:
    'The labels below rest on votes cast by fixed word rules, not by a language model. They show that the chain works; ' +
    'they are not ReDef labels. Run redef triage with a model before drawing conclusions.',
};

function figure(figures: ReadonlyMap<string, Figure>, ...names: string[]): Block[] {
  return names.flatMap((name) => {
    const found = figures.get(name);
    return found ? [{ kind: 'figure', figure: found }] : [];
  });
}

/** Title and place in the details of a mining manifest. */
const miningColumns = [
  ['commits', 'history', 'commits'],
  ['single-file', 'single_file'],
  ['single-function', 'single_function'],
  ['reverted, loose', 'reverts', 'targets_loose'],
  ['reverted, strict', 'reverts', 'targets_strict'],
  ['loose and single-function', 'reverts', 'targets_loose_single_function'],
  ['defective', 'defective'],
  ['clean', 'clean'],
] as const;

function miningTable({ projects }: StudyData): Table {
  return {
    kind: 'table',
    caption: 'Mined histories, in commits; the last two columns are candidates for triage',
    columns: [left('project'), left('head'), ...miningColumns.map(([title]) => right(title))],
    rows: projects.map(({ project, head, details }) => ({
      cells: [project, head.slice(0, 12), ...miningColumns.map(([, ...path]) => whole(member(details, path)))],
    })),
  };
}

function member(details: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    details,
  );
}

function droppedTable({ projects, dedup, triage }: StudyData): Table {
  const rows = [
    ...projects.map(({ project, counts }) => [`mine ${project}`, counts.dropped] as const),
    ['triage', triage.counts.dropped] as const,
    ['dedup', dedup.counts.dropped] as const,
  ].flatMap(([stage, dropped]) =>
    Object.entries(dropped).map(([reason, count]) => ({ cells: [stage, reason, whole(count)] })),
  );
  return {
    kind: 'table',
    caption: 'What was left out, by reason',
    columns: [left('stage'), left('reason'), right('rows')],
    rows,
  };
}

function triageTable({ triage: { summary } }: StudyData): Table {
  const rows = (['defective', 'clean'] as const).flatMap((label) => {
    const { before, after, transitions, split } = summary[label];
    return [
      { cells: [`${label} total`, whole(before), whole(after)] },
      ...Object.entries(transitions).map(([name, count]) => ({ cells: [name, '', whole(count)] })),
      ...Object.entries(split).map(([name, count]) => ({ cells: [`${name}, ballots split`, '', whole(count)] })),
    ];
  });
  const voters = summary.voters.map(({ voter }) => voter).join(', ');
  return {
    kind: 'table',
    caption: `Triage: ${summary.ballots} ballots by ${voters || 'nobody'}, rule ${summary.rule} (ReDef, Table 1)`,
    columns: [left('category'), right('before'), right('after')],
    rows,
  };
}

function splitTable({ dedup }: StudyData): Table {
  const rows = (dedup.details.rows ?? {}) as Record<string, number>;
  return {
    kind: 'table',
    caption: 'Split by time per project and class, duplicates removed',
    columns: [left('split'), right('defective'), right('clean'), right('share defective')],
    rows: (['train', 'validation', 'test'] as const).map((split) => {
      const defective = rows[`${split} defective`] ?? 0;
      const clean = rows[`${split} clean`] ?? 0;
      return { cells: [split, whole(defective), whole(clean), share(defective, defective + clean)] };
    }),
  };
}

function encodingTable({ encodings }: StudyData): Table {
  return {
    kind: 'table',
    caption: 'What the token budget cut',
    columns: [
      left('encoding'),
      right('changes'),
      right('cut'),
      right('tokens lost'),
      right('changed lines shown'),
      right('changed lines kept'),
    ],
    rows: encodings.map(({ encoding, counterfactual, counts, details }) => {
      const number = (name: string): number => Number(details[name] ?? 0);
      return {
        cells: [
          counterfactual ?? encoding,
          whole(counts.kept),
          share(number('truncated'), counts.kept),
          share(number('tokens_lost'), number('tokens')),
          share(number('changed_lines_shown'), number('changed_lines')),
          share(number('changed_lines_kept'), number('changed_lines')),
        ],
      };
    }),
  };
}

const metricTitles = { f1: 'F1', prAuc: 'PR-AUC', accuracy: 'accuracy', precision: 'precision', recall: 'recall' };

export function resultTable({ conditions, trivial, cells }: StudyResults): Table {
  const stage1 = conditions.filter(({ counterfactual }) => counterfactual === undefined);
  const [first] = cells;
  const test =
    first?.n === undefined ? 'size of the test set unknown' : `${first.n} test changes, ${first.positives} defective`;
  return {
    kind: 'table',
    caption: `Test results, mean ± standard deviation over seeds (ReDef, Table 3): ${test}`,
    columns: [left('model'), left('encoding'), right('seeds'), ...metricColumns()],
    rows: [
      ...stage1.map((condition) => ({
        cells: [condition.model, condition.encoding, whole(condition.seeds.length), ...plusMinus(condition)],
      })),
      ...trivial.map((predictor) => ({
        cells: [predictor.name, 'none', '', ...metricCells(predictor)],
        emphasis: 'baseline' as const,
      })),
    ],
  };
}

function comparisonBlocks({ statistics }: StudyResults): Block[] {
  const { anova, anovaAbsent, mainEffect, encodings } = statistics;
  return [
    { kind: 'paragraph', text: anova ? describe(anova).sentence : `No two-way analysis of variance: ${anovaAbsent}.` },
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
      rows: [...(mainEffect?.comparisons ?? []).map((pair) => ({ model: 'all models', ...pair })), ...encodings].map(
        ({ model, first, second, test, pHolm }) => ({
          cells: [
            model,
            first,
            second,
            ...(test
              ? [
                  signed(test.meanDifference),
                  test.t.toFixed(2),
                  pValue(test.p),
                  pValue(pHolm!),
                  test.cohensDz.toFixed(2),
                ]
              : ['not testable', '', '', '', '']),
          ],
        }),
      ),
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

function counterfactualBlocks({ conditions, statistics: { counterfactuals } }: StudyResults): Block[] {
  if (counterfactuals.length === 0) return [{ kind: 'paragraph', text: 'None was asked for.' }];
  const of = (model: string, encoding: string, counterfactual?: string): Condition | undefined =>
    conditions.find((c) => c.model === model && c.encoding === encoding && c.counterfactual === counterfactual);
  return [
    {
      kind: 'table',
      caption: 'Each counterfactual beside its encoding (ReDef, Table 5)',
      columns: [left('model'), left('condition'), ...metricColumns()],
      rows: counterfactuals.flatMap(({ model, encoding, counterfactual }) =>
        [of(model, encoding), of(model, encoding, counterfactual)].flatMap((condition) =>
          condition ? [{ cells: [model, condition.counterfactual ?? encoding, ...plusMinus(condition)] }] : [],
        ),
      ),
    },
    {
      kind: 'table',
      caption:
        'Does the counterfactual make F1 fall? One-sided tests over the same seeds, Holm-adjusted; 95% bootstrap interval; and two one-sided tests that F1 moves by less than 0.01',
      columns: [
        left('model'),
        left('counterfactual'),
        right('F1 lost'),
        right('interval'),
        right('t'),
        right('p'),
        right('p, Holm'),
        right('p, Wilcoxon'),
        right('p, equivalent'),
        right('d_z'),
      ],
      rows: counterfactuals.map(
        ({ model, counterfactual, meanDifference, tTest, wilcoxon, bootstrap, equivalence, pHolm }) => ({
          cells: [
            model,
            counterfactual,
            signed(meanDifference),
            bootstrap ? `${signed(bootstrap.interval.low)} to ${signed(bootstrap.interval.high)}` : '',
            ...(tTest ? [tTest.t.toFixed(2), pValue(tTest.p), pValue(pHolm!)] : ['not testable', '', '']),
            wilcoxon ? pValue(wilcoxon.p) : '',
            equivalence ? pValue(equivalence.p) : '',
            tTest ? tTest.cohensDz.toFixed(2) : '',
          ],
        }),
      ),
    },
  ];
}

function sources({ projects, triage, split, dedup, encodings }: StudyData): string[] {
  return [
    ...projects.map(({ project, head, folder }) => `${project} at ${head}: ${folder}/manifest.json`),
    ...[triage, split, dedup, ...encodings].map(({ folder }) => `${folder}/manifest.json`),
    'runs/MODEL/ENCODING/SEED/predictions/predictions.jsonl',
    'report/results.json: every number on this page, and those of each seed',
  ];
}

const metricColumns = (): Table['columns'] => tableMetricNames.map((name) => right(metricTitles[name]));
const metricCells = (metrics: TableMetrics): string[] =>
  tableMetricNames.map((name) => metrics[name]?.toFixed(4) ?? '');
const plusMinus = ({ mean, standardDeviation, seeds }: Condition): string[] =>
  tableMetricNames.map((name) => {
    const value = mean[name]?.toFixed(4) ?? '';
    return seeds.length < 2 || value === '' ? value : `${value} ± ${standardDeviation[name]!.toFixed(4)}`;
  });

function whole(value: unknown): string {
  return typeof value === 'number' ? `${value}`.replace(/\B(?=(\d{3})+$)/g, ',') : '';
}
function share(part: number, all: number): string {
  return all === 0 ? '' : `${((100 * part) / all).toFixed(1)}%`;
}
function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
}
function pValue(p: number): string {
  return p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, '');
}
