import type { CweRow } from './cwe-tables.js';
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

/** The report as tables: every metric by seed with mean and deviation, the Top 10 CWEs, and all CWEs. Shares in percent. */
export function repairTables({ seeds, summary, cwes, topTen, samples }: RepairReport): RepairTable[] {
  const names = Object.keys(seeds[0]?.metrics ?? {});
  const oneSeed = seeds.length === 1 && seeds[0]!.seed === 'none';
  const bySeed: RepairTable = {
    caption: `Repair of ${samples} samples, %`,
    columns: [
      { title: 'metric', align: 'left' },
      ...seeds.map(({ seed }) => ({ title: oneSeed ? 'score' : `seed ${seed}`, align: 'right' as const })),
      ...(seeds.length > 1
        ? (['mean', 'deviation'] as const).map((title) => ({ title, align: 'right' as const }))
        : []),
    ],
    rows: names.map((name) => ({
      cells: [
        titleOf(name),
        ...seeds.map(({ metrics }) => percent(metrics[name])),
        ...(seeds.length > 1 ? [percent(summary.mean[name]), percent(summary.deviation[name])] : []),
      ],
    })),
  };
  const rows = (list: readonly CweRow[]) => list.map((row) => cweCells(row.cwe, row));
  return [
    bySeed,
    {
      caption: 'Top 10 CWEs (R+R, table XIV), mean over seeds',
      columns: [{ title: 'rank', align: 'right' }, ...cweColumns],
      rows: [
        ...topTen.rows.map((row) => ({ cells: [String(row.rank), ...cweCells(row.cwe, row)] })),
        { cells: ['', ...cweCells('all ten', topTen.total)] },
      ],
    },
    { caption: 'Every CWE, mean over seeds', columns: cweColumns, rows: rows(cwes).map((cells) => ({ cells })) },
  ];
}

const cweColumns: RepairTable['columns'] = [
  { title: 'CWE', align: 'left' },
  { title: 'samples', align: 'right' },
  { title: 'perfect, %', align: 'right' },
  { title: 'strict, %', align: 'right' },
];

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
