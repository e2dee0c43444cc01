import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared/', import.meta.url));

/** The text of a file of the published data, or `undefined`, loudly, where the data is not on this machine. */
export function sharedText(path: string): string | undefined {
  const file = `${folder}/data/${path}`;
  if (existsSync(file)) return readFileSync(file, 'utf8');
  console.warn(`SKIPPED: ${path} of the published data is not here; set REDEF_SHARED to its folder to run this test`);
  return undefined;
}

/** Rows of a CSV text with quoted fields, for tests: no other dialect. */
export function parseCsv(text: string): Record<string, string>[] {
  const table: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/y;
  for (let match = field.exec(text); match && match.index < text.length; match = field.exec(text)) {
    table.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] !== ',' && field.lastIndex < text.length) table.push([]);
  }
  const [header, ...rows] = table;
  return rows.map((row) => Object.fromEntries(row.map((value, index) => [header![index]!, value])));
}
