import type { Row } from '../row.js';

/** The type of a column's values, null apart: CSV, which has text alone, is converted to it; JSONL and Parquet are checked. */
export type ColumnKind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'any';

export interface PresetColumn {
  kind: ColumnKind;
  /** What it holds, in one sentence. */
  about: string;
  /** Left out of some published files. */
  optional?: true;
}

/** What a row of any layout says, under the names of our own records. Absent where the layout does not say it. */
export interface Sample {
  id?: string;
  project?: string;
  /** Full or as published. */
  commit?: string;
  path?: string;
  message?: string;
  function_name?: string;
  function_before?: string;
  function_after?: string;
  /** One snapshot of a function, where the layout has no pair. */
  code?: string;
  /** Of repair data: the model's input and output. */
  source?: string;
  target?: string;
  /** 1 is defective, buggy or vulnerable. */
  label?: 0 | 1;
  /** `CWE-119`, ... */
  cwe?: string[];
  cve?: string;
  /** Numbers about the change, by the layout's own names. */
  metrics?: Record<string, number>;
}

/** A published table layout. */
export interface Preset {
  name: string;
  /** Where the layout was published. */
  source: string;
  /** In the order of the published files. */
  columns: Readonly<Record<string, PresetColumn>>;
  /** The row as a {@link Sample}; the row has passed the column checks. */
  toSample(row: Row): Sample;
  /** A kebab-case reason why the row does not keep the layout's promises; `undefined` if it does. */
  check(row: Row): string | undefined;
}
