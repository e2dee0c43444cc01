import { shownName } from '../cells/cell.js';
import type { SplitSummary, StageSummary, StudyData } from '../results.js';
import type { SplitLeaks } from '../stages/dedup.js';
import { type Link, left, right, type Table } from './document.js';
import { share, whole } from './format.js';

/** A link to a file of a stage's folder. */
const fileOf = ({ folder }: Pick<StageSummary, 'folder'>, text: string, file = 'manifest.json'): Link => ({
  text,
  href: `../${folder}/${file}`,
});

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

export function miningTable({ projects }: StudyData): Table {
  return {
    kind: 'table',
    caption: 'Mined histories, in commits; the last two columns are candidates for triage',
    columns: [left('project'), left('head'), ...miningColumns.map(([title]) => right(title))],
    rows: projects.map((project) => ({
      cells: [
        fileOf(project, project.project),
        project.head.slice(0, 12),
        ...miningColumns.map(([, ...path]) => whole(member(project.details, path))),
      ],
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

const without = (fold: string | undefined): string => (fold === undefined ? '' : `, without ${fold}`);

export function droppedTable({ projects, splits, triage }: StudyData): Table {
  const stages: [string, StageSummary][] = [
    ...projects.map((project): [string, StageSummary] => [`mine ${project.project}`, project]),
    ['triage', triage],
    ...splits.map(({ fold, dedup }): [string, StageSummary] => [`dedup${without(fold)}`, dedup]),
  ];
  return {
    kind: 'table',
    collapsed: true,
    caption: 'What was left out, by reason',
    columns: [left('stage'), left('reason'), right('rows')],
    rows: stages.flatMap(([name, stage]) =>
      Object.entries(stage.counts.dropped).map(([reason, count]) => ({
        cells: [fileOf(stage, name, 'rejects.jsonl'), reason, whole(count)],
      })),
    ),
  };
}

export function triageTable({ triage }: StudyData): Table {
  const { summary } = triage;
  const rows = (['defective', 'clean'] as const).flatMap((label) => {
    const { before, after, transitions, split } = summary[label];
    return [
      { cells: [fileOf(triage, `${label} total`, 'summary.json'), whole(before), whole(after)] },
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

export function auditTables({ audit }: StudyData): Table[] {
  if (!audit) return [];
  return audit.by_question.map(({ text, values, rows }) => ({
    kind: 'table',
    caption: `Audit of ${audit.items} sampled labels, ${audit.final} with a final answer (ReDef, Table 2): ${text}`,
    columns: [left('who'), ...values.map(right), right('not answered')],
    rows: rows.map(({ who, counts, unanswered }) => ({
      cells: [who, ...values.map((value) => whole(counts[value] ?? 0)), whole(unanswered)],
    })),
  }));
}

export function splitTable({ fold, split, dedup }: SplitSummary): Table {
  const rows = (dedup.details.rows ?? {}) as Record<string, number>;
  return {
    kind: 'table',
    caption: `Split by the rule ${String(split.details.rule ?? 'of the study')}${without(fold)}, duplicates removed`,
    columns: [left('split'), right('defective'), right('clean'), right('share defective')],
    rows: (['train', 'validation', 'test'] as const).map((name) => {
      const defective = rows[`${name} defective`] ?? 0;
      const clean = rows[`${name} clean`] ?? 0;
      return {
        cells: [
          fileOf(dedup, name, 'splits.jsonl'),
          whole(defective),
          whole(clean),
          share(defective, defective + clean),
        ],
      };
    }),
  };
}

export function leakTable({ splits }: StudyData): Table[] {
  const audited = splits.flatMap(({ fold, dedup }) => {
    const audit = dedup.details.audit as SplitLeaks | undefined;
    return audit ? [{ fold, dedup, audit }] : [];
  });
  if (audited.length === 0) return [];
  const levels = Object.keys(audited[0]!.audit.cross_set_duplicates);
  return [
    {
      kind: 'table',
      caption:
        'What the sets shared as they came: pairs of functions in two sets (equal ones are removed), pairs under both labels (removed), commits and functions with changes in two sets, and changes older than one of an earlier set',
      columns: [
        left('split'),
        ...levels.map((level) => right(`${level} pairs`)),
        right('contradictory'),
        right('commits'),
        right('functions'),
        right('too early'),
        right('too early within project and label'),
      ],
      rows: audited.map(({ fold, dedup, audit }) => ({
        cells: [
          fileOf(dedup, fold === undefined ? 'all' : `without ${fold}`, 'audit.json'),
          ...levels.map((level) => whole(audit.cross_set_duplicates[level])),
          whole(audit.contradictions),
          whole(audit.commits_shared),
          whole(audit.functions_shared),
          whole(audit.too_early.overall),
          whole(audit.too_early.within),
        ],
      })),
    },
  ];
}

export function encodingTable({ encodings }: StudyData): Table {
  return {
    kind: 'table',
    caption: 'What the token budget cut',
    columns: [
      left('encoding'),
      left('models'),
      right('changes'),
      right('cut'),
      right('tokens lost'),
      right('changed lines shown'),
      right('changed lines kept'),
    ],
    rows: encodings.map((encoding) => {
      const { counts, details, models, fold } = encoding;
      const number = (name: string): number => Number(details[name] ?? 0);
      return {
        cells: [
          fileOf(encoding, `${shownName(encoding)}${without(fold)}`),
          models.join(', '),
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
