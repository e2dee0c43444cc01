import type { CweRow } from './cwe-tables.js';
import type { QualityPart, QualityTable } from './quality-table.js';
import type { RepairReport } from './score-repairs.js';

/** A table of text, for whatever renders it. */
export interface RepairTable {
  caption: string;
  columns: { title: string; align: 'left' | 'right' }[];
  rows: { cells: string[] }[];
}

/** Names of the metrics for people; top-k ones follow their own pattern. */
const metricTitles: Record<string, string> = {
  perfectPrediction: 'perfect prediction',
  perfectPredictionStrict: 'perfect prediction, strict',
  editSimilarity: 'edit similarity',
  codeBleuNgram: 'CodeBLEU n-gram',
  codeBleuWeightedNgram: 'CodeBLEU weighted n-gram',
  codeBleuSyntax: 'CodeBLEU syntax',
  codeBleuDataFlow: 'CodeBLEU data flow',
  codeBleu: 'CodeBLEU',
  placed: 'placed',
  ambiguous: 'ambiguous',
  validSyntax: 'valid syntax',
  noNewSyntaxError: 'no new syntax error',
};

/**
 * The report as tables: every metric by seed with mean and deviation, the Top 10 CWEs with the correct ones of each seed, the
 * same by what people found of the samples where that is known, and all CWEs. Shares in percent.
 */
export function repairTables({ seeds, summary, cwes, topTen, quality, samples }: RepairReport): RepairTable[] {
  const names = Object.keys(seeds[0]?.metrics ?? {});
  const oneSeed = seeds.length === 1 && seeds[0]!.seed === 'none';
  const bySeed: RepairTable = {
    caption: `Repair of ${samples} samples, %`,
    columns: [
      left('metric'),
      ...seeds.map(({ seed }) => right(oneSeed ? 'score' : `seed ${seed}`)),
      ...(seeds.length > 1 ? ['mean', 'deviation'].map(right) : []),
    ],
    rows: names.map((name) => ({
      cells: [
        titleOf(name),
        ...seeds.map(({ metrics }) => percent(metrics[name])),
        ...(seeds.length > 1 ? [percent(summary.mean[name]), percent(summary.deviation[name])] : []),
      ],
    })),
  };
  const counted = seeds.length > 1 ? seeds.map(({ seed }) => right(`correct, seed ${seed}`)) : [];
  const correct = (row: Pick<CweRow, 'correct'>) => (seeds.length > 1 ? row.correct.map(String) : []);
  return [
    bySeed,
    {
      caption: 'Top 10 CWEs (R+R, tables XIV and XXIII to XXX), mean over seeds',
      columns: [right('rank'), ...cweColumns, ...counted],
      rows: [
        ...topTen.rows.map((row) => ({ cells: [String(row.rank), ...cweCells(row.cwe, row), ...correct(row)] })),
        { cells: ['', ...cweCells('all ten', topTen.total), ...correct(topTen.total)] },
      ],
    },
    ...(quality ? [qualityTableOf(quality)] : []),
    {
      caption: 'Every CWE, mean over seeds',
      columns: [...cweColumns],
      rows: cwes.map((row) => ({ cells: cweCells(row.cwe, row) })),
    },
  ];
}

function qualityTableOf({ rows, total, unjudged }: QualityTable): RepairTable {
  const parts = ['all', 'accurate', 'complete', 'both'] as const;
  const cells = ({ samples, perfectPrediction }: QualityPart) => [
    String(samples),
    samples === 0 ? '-' : percent(perfectPrediction),
  ];
  return {
    caption: `Top 10 CWEs by what people found (R+R, RQ4B and table XV); ${unjudged} samples not judged`,
    columns: [left('CWE'), ...parts.flatMap((part) => [right(part), right('perfect, %')])],
    rows: [...rows, { cwe: 'all ten', ...total }].map((row) => ({
      cells: [row.cwe, ...parts.flatMap((part) => cells(row[part]))],
    })),
  };
}

type Column = RepairTable['columns'][number];
const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

const cweColumns: readonly Column[] = [left('CWE'), right('samples'), right('perfect, %'), right('strict, %')];

function cweCells(cwe: string, { samples, perfectPrediction, perfectPredictionStrict }: Omit<CweRow, 'cwe'>): string[] {
  const share = (value: number): string => (samples === 0 ? '-' : percent(value));
  return [cwe, String(samples), share(perfectPrediction), share(perfectPredictionStrict)];
}

function titleOf(name: string): string {
  const [, k, strict] = /^top(\d+)(Strict)?$/.exec(name) ?? [];
  return k === undefined ? (metricTitles[name] ?? name) : `top-${k}${strict ? ', strict' : ''}`;
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : (100 * share).toFixed(2);
}
