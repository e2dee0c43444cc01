import { type Block, left, type ReportDocument, right, type Table } from '../report/document.js';
import { renderHtml } from '../report/html.js';
import { renderMarkdown } from '../report/markdown.js';
import { figureFiles, writeFiles } from '../report/write-report.js';
import type { RepairStudyResults } from './run-repair-study.js';
import { dataScenarios, scenarioTitles } from './scenarios.js';

/** The study as a document: the paper's tables, each with every seed, mean and deviation, and its figure 1. */
export async function repairReport(results: RepairStudyResults): Promise<ReportDocument> {
  const { beamFigure } = await import('./beam-figure.js'); // what draws takes half a second to load
  const figure = beamFigure(results);
  return {
    title: 'Repair with and without duplicates',
    blocks: [
      compositionTable(results),
      scoreTable(results),
      ...leakBlocks(results),
      topTenTable(results),
      ...transferBlocks(results),
      ...(figure ? [{ kind: 'figure' as const, figure }] : []),
    ],
  };
}

/**
 * Writes `report.html`, `report.md`, `results.json` and `figures/*.svg` into a folder: equal results, equal bytes.
 *
 * @returns the files' names, relative to the folder
 */
export async function writeRepairReport(folder: string, results: RepairStudyResults): Promise<string[]> {
  const document = await repairReport(results);
  return writeFiles(folder, {
    ...figureFiles(document),
    'results.json': `${JSON.stringify(results, null, 2)}\n`,
    'report.md': renderMarkdown(document),
    'report.html': renderHtml(document),
  });
}

function compositionTable({ composition }: RepairStudyResults): Table {
  const removed = [
    'train in-set-duplicate',
    'train cross-set-duplicate',
    'test in-set-duplicate',
    'test cross-set-duplicate',
  ];
  return {
    kind: 'table',
    caption:
      'Samples (R+R, tables IV, VI, VIII, X and XII); train and validation together are what the paper calls train',
    columns: [
      left('scenario'),
      ...['train', 'validation', 'test'].map(right),
      ...removed.map((name) => right(`removed: ${name.replace('-duplicate', '')}`)),
    ],
    rows: composition.map((row) => ({
      cells: [
        scenarioTitles[row.scenario],
        ...[row.train, row.validation, row.test].map(String),
        ...removed.map((name) => String(row.removed[name] ?? 0)),
      ],
    })),
  };
}

/** Tables V, VII, IX, XI and XIII with XVIII to XXII. */
export function scoreTable({ scores }: RepairStudyResults): Table {
  const rows = scores.filter(({ scenario }) => scenario in dataScenarios);
  const replicated = rows.find(({ scenario }) => scenario === 'RQ1')?.mean.paper;
  const seeds = rows[0]?.seeds.map(({ seed }) => seed) ?? [];
  return {
    kind: 'table',
    caption: 'Perfect prediction, % (R+R, tables V to XIII and XVIII to XXII)',
    columns: [
      left('scenario'),
      right('beams'),
      right('samples'),
      ...seeds.map((seed) => right(`seed ${seed}`)),
      ...['mean', 'deviation', 'strict mean', '% of RQ1'].map(right),
    ],
    rows: rows.map((row) => ({
      cells: [
        scenarioTitles[row.scenario],
        String(row.width),
        String(row.samples),
        ...row.seeds.map(({ perfectPrediction }) => percent(perfectPrediction)),
        percent(row.mean.paper),
        percent(row.deviation.paper),
        percent(row.mean.strict),
        replicated ? percent(row.mean.paper / replicated) : '-',
      ],
    })),
  };
}

function leakBlocks({ leaks }: RepairStudyResults): Block[] {
  if (!leaks) return [];
  return [
    {
      kind: 'table',
      caption: 'RQ1 by whether the test sample stands in the training set word for word',
      columns: [left('test samples'), right('samples'), right('perfect prediction, %')],
      rows: [
        { cells: ['in the training set', String(leaks.leaked.samples), percent(leaks.leaked.mean)] },
        { cells: ['not in it', String(leaks.clean.samples), percent(leaks.clean.mean)] },
      ],
    },
  ];
}

/** Table XIV. */
function topTenTable({ scores }: RepairStudyResults): Table {
  const shown = scores.filter(({ scenario }) => ['RQ1', 'RQ2B', 'RQ3B'].includes(scenario));
  const cwes = shown[0]?.topTen.rows.map(({ cwe }) => cwe) ?? [];
  const cells = ({ samples, perfectPrediction }: { samples: number; perfectPrediction: number }) => [
    String(samples),
    samples === 0 ? '-' : percent(perfectPrediction),
  ];
  return {
    kind: 'table',
    caption: 'Top 10 CWEs, perfect prediction in %, mean over seeds (R+R, table XIV)',
    columns: [left('CWE'), ...shown.flatMap(({ scenario }) => [right(`${scenario} samples`), right(`${scenario} %`)])],
    rows: [
      ...cwes.map((cwe, index) => ({ cells: [cwe, ...shown.flatMap(({ topTen }) => cells(topTen.rows[index]!))] })),
      { cells: ['all ten', ...shown.flatMap(({ topTen }) => cells(topTen.total))] },
    ],
  };
}

/** Tables XVI and XVII, with XXXI to XXXV. */
function transferBlocks({ scores }: RepairStudyResults): Block[] {
  const rows = scores.filter(({ scenario }) => scenario === 'bug-fix' || scenario === 'transfer');
  if (rows.length === 0) return [];
  const fineTuned = scores.filter(({ scenario }) => scenario === 'RQ3B');
  const seeds = [...new Set(rows.flatMap((row) => row.seeds.map(({ seed }) => seed)))];
  return [
    {
      kind: 'table',
      caption: 'Perfect prediction by training and beams, % (R+R, tables XVI, XVII and XXXI to XXXV)',
      columns: [
        left('training'),
        right('beams'),
        ...seeds.map((seed) => right(`seed ${seed}`)),
        right('mean'),
        right('deviation'),
      ],
      rows: [...rows, ...fineTuned].map((row) => ({
        cells: [
          row.scenario === 'RQ3B' ? 'fine-tuned only (RQ3B)' : scenarioTitles[row.scenario],
          String(row.width),
          ...seeds.map((seed) => percent(row.seeds.find((each) => each.seed === seed)?.perfectPrediction)),
          percent(row.mean.paper),
          percent(row.deviation.paper),
        ],
      })),
    },
  ];
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : (100 * share).toFixed(2);
}
