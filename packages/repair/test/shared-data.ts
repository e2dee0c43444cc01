import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of real data beside the repository, or wherever `REDEF_SHARED` says. */
const folder = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url));

/** The text of a file of the shared data; `undefined`, and a loud line, where it is not there. */
export function sharedText(path: string): string | undefined {
  const file = `${folder}/data/${path}`;
  if (existsSync(file)) return readFileSync(file, 'utf8');
  console.warn(`SKIPPED for want of real data: ${path} (set REDEF_SHARED)`);
  return undefined;
}

/** Rows of the published CSV files: every field quoted or without commas, line feeds inside. */
export function readCsvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows.slice(1);
}
