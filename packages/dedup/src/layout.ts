import { requireColumn, requireColumns, requireObject } from './checks.js';
import { checkRow, type Row } from './rows.js';

/** Which columns of a table mean what. */
export interface Layout {
  /** Columns whose values make two rows the same. */
  key: readonly string[];
  /** The column that holds the code before the change, or the only code. */
  code?: string;
  /** The column that holds the repaired code or patch. */
  repaired?: string;
  /** Columns that label the code: `cwe`, `label`. A leading CWE tag is found in the text itself. */
  labels: readonly string[];
  /** The column that names the repository, where ids and paths are unique only within one. */
  project?: string;
  /** The column that names the commit a row comes from. */
  commit?: string;
  /** The columns that name the function a row is a version of. */
  function?: readonly string[];
  /** The column with the row's date. */
  time?: string;
  /** Columns within whose values the sets should follow one another in time: `project`, `label`. */
  within: readonly string[];
}

export type LayoutOptions = Partial<Layout>;

/** Published layouts by the columns that give them away, the most telling first; the key is what a model is shown. */
const known: readonly {
  has: readonly string[];
  key: readonly string[];
  repaired?: string;
  labels?: readonly string[];
}[] = [
  {
    has: ['function_before', 'function_after'],
    key: ['function_before', 'function_after'],
    repaired: 'function_after',
  },
  { has: ['source'], key: ['source'], repaired: 'target' },
  { has: ['buggy', 'fixed'], key: ['buggy', 'fixed'], repaired: 'fixed' },
  { has: ['func_before'], key: ['func_before'], repaired: 'func_after' },
  { has: ['code_before'], key: ['code_before'], repaired: 'code_after' },
  { has: ['func'], key: ['func'], labels: ['target'] },
  { has: ['function'], key: ['function'], labels: ['target'] },
  { has: ['code'], key: ['code'], labels: ['target'] },
];
const projectNames = ['project', 'project_name', 'repo', 'repository'];
const commitNames = ['commit', 'commit_id', 'commit_hash', 'commit_sha', 'sha'];
const timeNames = ['committed_at', 'commit_date', 'author_date', 'committer_date', 'date', 'timestamp'];
const functionNames = [
  ['path', 'function_signature'],
  ['path', 'function_name'],
  ['file_path', 'function_name'],
  ['file_name', 'func_name'],
];
const labelNames = [
  'label',
  'labels',
  'vul',
  'is_vulnerable',
  'defective',
  'buggy_label',
  'cwe',
  'cwe_id',
  'CWE ID',
  'CWE',
];

/** Columns that number or name rows, whatever they hold, and so would keep any two from being equal. */
const identifying = ['', 'Unnamed: 0', 'index', 'id', 'idx'];

/**
 * Completes the options from the columns of one row. Without a layout it knows, the key is every column but those that
 * number or name the rows (one without a name, `Unnamed: 0`, `index`, `id`, `idx`), and no column counts as code.
 *
 * @throws `RedefError` `invalid-row`, `invalid-option`
 */
export function inferLayout(row: Row, options: LayoutOptions = {}): Layout {
  checkRow('the table', 0, row);
  requireLayout(options);
  const columns = Object.keys(row);
  const layout = known.find(({ has }) => has.every((column) => columns.includes(column)));
  const key =
    [options.key, layout?.key, columns.filter((column) => !identifying.includes(column))].find(
      (names) => names && names.length > 0,
    ) ?? columns;
  const code = options.code ?? layout?.key[0] ?? options.key?.[0];
  const repaired = options.repaired ?? layout?.repaired;
  const firstOf = (names: readonly string[]) => names.find((name) => columns.includes(name));
  const project = options.project ?? firstOf(projectNames);
  const commit = options.commit ?? firstOf(commitNames);
  const time = options.time ?? firstOf(timeNames);
  const identity = options.function ?? functionNames.find((names) => names.every((name) => columns.includes(name)));
  const labels =
    options.labels ??
    [...(layout?.labels ?? []), ...labelNames].filter((name) => columns.includes(name) && !options.key?.includes(name));
  return {
    key,
    labels,
    within: options.within ?? (project === undefined ? [] : [project]),
    ...(project !== undefined && { project }),
    ...(commit !== undefined && { commit }),
    ...(identity !== undefined && { function: identity }),
    ...(time !== undefined && { time }),
    ...(code !== undefined && { code }),
    ...(repaired !== undefined && columns.includes(repaired) && { repaired }),
  };
}

/** @throws `RedefError` `invalid-option` */
export function requireLayout(options: LayoutOptions): void {
  requireObject('layout', options);
  for (const name of ['key', 'labels', 'function', 'within'] as const) requireColumns(name, options[name]);
  for (const name of ['code', 'repaired', 'project', 'commit', 'time'] as const) requireColumn(name, options[name]);
}

/** The columns that options name, as against those that were inferred. */
export function namedColumns({
  key,
  code,
  repaired,
  labels,
  project,
  commit,
  function: identity,
  time,
  within,
}: LayoutOptions): string[] {
  return [
    ...(key ?? []),
    code,
    repaired,
    ...(labels ?? []),
    project,
    commit,
    ...(identity ?? []),
    time,
    ...(within ?? []),
  ].filter((column) => column !== undefined);
}
