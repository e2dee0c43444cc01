import type { Row } from '../row.js';
import type { Sample } from './preset.js';

/** A text column; `undefined` for null. Numbers are given as their digits, as ids may be. */
export function text(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? `${value}`
      : undefined;
}

/** 1 for 1, `true`, `defective`, `buggy`, `vulnerable`; 0 for 0, `false`, `clean`; `undefined` otherwise. */
export function label(row: Row, column: string): 0 | 1 | undefined {
  const value = String(row[column]).toLowerCase();
  if (['1', 'true', 'defective', 'buggy', 'vulnerable'].includes(value)) return 1;
  return ['0', 'false', 'clean'].includes(value) ? 0 : undefined;
}

/** The CWE ids in a column of text or a list of texts; `undefined` where there is none (`NVD-CWE-noinfo` is none). */
export function cweIds(row: Row, column: string): string[] | undefined {
  const ids = [...JSON.stringify(row[column] ?? null).matchAll(/\bCWE-\d+\b/g)].map(([id]) => id);
  return ids.length > 0 ? ids : undefined;
}

/** Members without a value left out. */
export function sample(members: { [Name in keyof Sample]: Sample[Name] | undefined }): Sample {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Sample;
}
