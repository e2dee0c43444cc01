import type { DataAudit } from '../auditor.js';
import { requireAudit, requireObject } from '../checks.js';
import type { CorpusOverlap } from '../corpus-overlap.js';
import type { InflationEstimate } from '../inflation.js';
import type { Interval } from '../intervals.js';
import { qualityIssues } from '../quality.js';
import { type AuditTable, count, percent, table } from './tables.js';

/** What goes into a report besides the audit. */
export interface AuditReportParts {
  overlap?: CorpusOverlap;
  inflation?: readonly InflationEstimate[];
}

/** The audit as tables, in the order of a report; tables that would be empty are left out. @throws `RedefError` `invalid-option` */
export function auditTables(audit: DataAudit, parts: AuditReportParts = {}): AuditTable[] {
  requireAudit(audit);
  requireObject('parts', parts);
  const { overlap, inflation = [] } = parts;
  return [
    levelTable(audit),
    ...pairTable(audit),
    ...contradictionTables(audit),
    ...leakTables(audit),
    ...nearTables(audit),
    ...(overlap ? [overlapTable(overlap)] : []),
    ...(inflation.length > 0 ? [inflationTable(inflation)] : []),
    ...qualityTables(audit),
  ];
}

/** One row for each level and set: tables I to III of R+R and the compositions of VI, VIII, X and XII. */
function levelTable({ levels, layout }: DataAudit): AuditTable {
  return table(
    'Duplicates within and across the sets',
    [
      'Level',
      'Set',
      'Rows>',
      'In-set duplicates>',
      'Unique>',
      'Cross-set duplicates>',
      'Left when cut from train>',
      'Left when cut from test>',
    ],
    levels.flatMap(({ level, sets, crossSetDuplicates, afterPolicy }) =>
      Object.entries(sets).map(([name, { rows, inSetDuplicates, unique }], index) => [
        index === 0 ? level : '',
        name,
        rows,
        inSetDuplicates,
        unique,
        index === 0 ? crossSetDuplicates : '',
        afterPolicy.cutFromTrain[name]!,
        afterPolicy.cutFromTest[name]!,
      ]),
    ),
    `Compared: ${layout.key.join(' + ')}. The first of several equal rows is kept and is no duplicate.`,
  );
}

function pairTable({ levels, sets }: DataAudit): AuditTable[] {
  if (Object.keys(sets).length < 3) return [];
  const pairs = Object.keys(levels[0]?.crossSetPairs ?? {});
  const shared = pairs.filter((pair) => levels.some(({ crossSetPairs }) => crossSetPairs[pair]! > 0));
  if (shared.length === 0) return [];
  return [
    table(
      'Cross-set duplicates by pair of sets',
      ['Sets', ...levels.map(({ level }) => `${level}>`)],
      shared.map((pair) => [pair, ...levels.map(({ crossSetPairs }) => crossSetPairs[pair]!)]),
      shared.length < pairs.length ? 'Pairs that share nothing are left out.' : undefined,
    ),
  ];
}

function contradictionTables({ contradictionsBy, sets }: DataAudit): AuditTable[] {
  const found = contradictionsBy.filter(({ codes }) => codes > 0);
  if (found.length === 0) return [];
  const names = Object.keys(sets);
  return [
    table(
      'Codes under several labels',
      ['Label', 'Codes>', 'Rows>', ...names.map((name) => `within ${name}>`), 'only across sets>'],
      found.map(({ by, codes, rows, sets, acrossOnly }) => [
        by,
        codes,
        rows,
        ...names.map((name) => sets[name]!),
        acrossOnly,
      ]),
    ),
  ];
}

function leakTables({ leaks, sets }: DataAudit): AuditTable[] {
  const names = Object.keys(sets);
  const tables: AuditTable[] = [];
  const groups = [
    ['commits', leaks.commits],
    ['functions', leaks.functions],
  ] as const;
  const shown = groups.flatMap(([name, leak]) =>
    leak ? [[name, leak.shared, ...names.map((set) => leak.rows[set]!)]] : [],
  );
  if (shown.length > 0) {
    tables.push(
      table('Shared origins', ['What', 'In several sets>', ...names.map((name) => `rows of ${name}>`)], shown),
    );
  }
  if (leaks.time) {
    tables.push(
      table(
        'Order in time',
        ['Within', 'Groups>', 'Out of order>', ...names.slice(1).map((name) => `${name} rows too early>`), 'Holds'],
        leaks.time.map(({ within, groups, groupsOutOfOrder, rowsTooEarly, holds }) => [
          within.join(' and ') || 'the whole',
          groups,
          groupsOutOfOrder,
          ...names.slice(1).map((name) => rowsTooEarly[name]!),
          holds ? 'yes' : 'no',
        ]),
        `A row is too early where an earlier set has a newer one.${leaks.undated ? ` Rows without a date that can be read: ${count(leaks.undated)}.` : ''}`,
      ),
    );
  }
  return tables;
}

function nearTables({ near }: DataAudit): AuditTable[] {
  if (!near) return [];
  const { settings, clusters, leak } = near;
  const names = Object.keys(near.sets);
  return [
    table(
      'Clusters of exact, renamed and near duplicates',
      ['Clusters>', 'across sets>', ...names.map((name) => `rows of ${name} in those>`), 'exact>', 'renamed>', 'near>'],
      [
        [
          clusters.length,
          leak.clusters,
          ...names.map((name) => leak.rows[name]!),
          leak.byKind.exact,
          leak.byKind.renamed,
          leak.byKind.near,
        ],
      ],
      `Jaccard index of ${settings.shingleTokens}-token shingles at least ${settings.threshold}, verified exactly; expected recall at the threshold ${percent(settings.expectedRecall)}. The last three columns count rows of ${names.at(-1)} by their closest twin in another set.`,
    ),
  ];
}

function overlapTable({ corpus, sets, level }: CorpusOverlap): AuditTable {
  return table(
    `Overlap with ${Object.keys(corpus).join(', ')}`,
    ['Set', 'Rows>', 'in the corpus>', 'Unique>', 'in the corpus>', 'Share of rows>'],
    Object.entries(sets).map(([name, { rows, matchingRows, unique, matchingUnique }]) => [
      name,
      rows,
      matchingRows,
      unique,
      matchingUnique,
      rows === 0 ? '' : percent(matchingRows / rows),
    ]),
    `Level: ${level}.`,
  );
}

function inflationTable(inflation: readonly InflationEstimate[]): AuditTable {
  const score = ({ score, interval }: { score: number | null; interval: Interval | null }) =>
    score === null || !interval ? 'none' : `${percent(score)} ${range(interval)}`;
  const lift = (inflation: InflationEstimate['inflation']) =>
    inflation ? `${percent(inflation.value)} ${range(inflation.interval)}` : 'none';
  return table(
    'What the leak was worth',
    ['Predictions', 'Level', 'Score', 'Leaked rows>', 'on them>', 'Clean rows>', 'on them>', 'Overall>', 'Inflation>'],
    inflation.flatMap((estimate) => {
      const { source, level, leaked, clean, f1 } = estimate;
      const line = (name: string, scores: InflationEstimate | NonNullable<InflationEstimate['f1']>) => [
        source,
        level,
        name,
        leaked.rows,
        score(scores.leaked),
        clean.rows,
        score(scores.clean),
        score(scores.overall),
        lift(scores.inflation),
      ];
      return [line('correct', estimate), ...(f1 ? [line('F1', f1)] : [])];
    }),
    'Inflation is the overall score less that on clean rows. The 95% intervals are Wilson and Newcombe for shares of correct predictions, and bootstrap percentiles for F1.',
  );
}

function range([low, high]: Interval): string {
  return `(${percent(low)} to ${percent(high)})`;
}

function qualityTables({ quality }: DataAudit): AuditTable[] {
  const names = Object.keys(quality);
  const issues = qualityIssues.filter((issue) => names.some((name) => quality[name]!.issues[issue] > 0));
  if (issues.length === 0) return [];
  return [
    table(
      'Damaged or odd rows',
      ['Issue', ...names.map((name) => `${name}>`)],
      issues.map((issue) => [issue, ...names.map((name) => quality[name]!.issues[issue])]),
    ),
  ];
}
