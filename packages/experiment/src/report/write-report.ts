import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import type { StudyResults } from '../results.js';
import { composeReport } from './compose.js';
import { renderHtml } from './html.js';
import { renderLatex } from './latex.js';
import { renderMarkdown } from './markdown.js';

/**
 * Writes `report.html`, `report.md`, `tables.tex`, `figures/*.svg` and `results.json` into a folder: equal results, equal
 * bytes.
 *
 * @returns the files' names, relative to the folder
 */
export async function writeReport(folder: string, results: StudyResults): Promise<string[]> {
  const document = composeReport(results);
  const files: [name: string, text: string][] = [
    ...document.blocks.flatMap((block): [string, string][] =>
      block.kind === 'figure' ? [[`figures/${block.figure.name}.svg`, `${block.figure.svg}\n`]] : [],
    ),
    ['tables.tex', renderLatex(document)],
    ['results.json', `${JSON.stringify(results, null, 2)}\n`],
    ['report.md', renderMarkdown(document)],
    ['report.html', renderHtml(document)],
  ];
  for (const [name, text] of files) await writeFileAtomic(join(folder, name), text);
  return files.map(([name]) => name);
}
