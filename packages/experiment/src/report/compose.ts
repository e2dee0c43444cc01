import type { StudyData, StudyResults } from '../results.js';
import { counterfactualBlocks } from './counterfactual-tables.js';
import {
  auditTables,
  droppedTable,
  encodingTable,
  leakTable,
  miningTable,
  splitTable,
  triageTable,
} from './data-tables.js';
import type { Block, Link, ReportDocument } from './document.js';
import type { Figure } from './draw.js';
import { findings } from './findings.js';
import { comparisonBlocks, missingBlocks, resultTable, runTable } from './result-tables.js';
import { unansweredTables } from './unanswered.js';

/** Lays a study's results out as a report. The same results give the same document. */
export async function composeReport(results: StudyResults): Promise<ReportDocument> {
  const { data } = results;
  const { drawFigures } = await import('./figures.js'); // what draws takes half a second to load
  const figures = new Map(drawFigures(results).map((figure) => [figure.name, figure]));
  const blocks: Block[] = [
    ...(data?.triage.summary.rule_based ? [ruleBasedWarning] : []),
    { kind: 'heading', text: 'Findings' },
    { kind: 'list', items: findings(results) },
    ...(data
      ? [
          { kind: 'heading' as const, text: 'Data' },
          miningTable(data),
          droppedTable(data),
          triageTable(data),
          ...auditTables(data),
          ...data.splits.map(splitTable),
          ...leakTable(data),
          ...figure(figures, 'class-counts', 'function-lengths'),
        ]
      : []),
    { kind: 'heading', text: 'Encodings' },
    ...(data ? [encodingTable(data)] : []),
    resultTable(results),
    ...unansweredTables(results),
    ...figure(figures, 'f1-by-encoding', 'precision-recall', 'calibration', 'learning', 'training-loss'),
    ...comparisonBlocks(results),
    { kind: 'heading', text: 'Counterfactuals' },
    ...counterfactualBlocks(results),
    ...figure(figures, 'sensitivity'),
    ...missingBlocks(results),
    { kind: 'heading', text: 'Where the numbers come from' },
    {
      kind: 'list',
      items: data ? sources(data) : ['the imported rows; results.json holds every number on this page'],
    },
    runTable(results),
  ];
  return {
    title: data
      ? `Change-level defect prediction: ${data.projects.map(({ project }) => project).join(', ')}`
      : 'Change-level defect prediction: imported results',
    blocks: blocks.filter((block) => block.kind !== 'table' || block.rows.length > 0),
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

function sources({ projects, triage, splits, encodings }: StudyData): (string | Link)[] {
  const manifest = (folder: string, text = ''): Link => ({
    text: `${text}${folder}/manifest.json`,
    href: `../${folder}/manifest.json`,
  });
  return [
    ...projects.map(({ project, head, folder }) => manifest(folder, `${project} at ${head}: `)),
    manifest(triage.folder),
    ...splits.flatMap(({ split, dedup }) => [manifest(split.folder), manifest(dedup.folder)]),
    ...encodings.map(({ folder }) => manifest(folder)),
    { text: 'study.json: every run that was planned', href: '../study.json' },
    { text: 'results.json: every number on this page', href: 'results.json' },
  ];
}
