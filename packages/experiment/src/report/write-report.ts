import { join } from 'node:path';
import { writeFileAtomic } from '@redef/core/files';
import type { StudyResults } from '../results.js';
import { composeReport } from './compose.js';
import type { ReportDocument } from './document.js';
import { renderHtml } from './html.js';
import { renderLatex } from './latex.js';
import { renderMarkdown } from './markdown.js';

/**
 * `report.html`, `report.md`, `tables.tex`, `figures/*.svg` and `results.json` by their names: equal results, equal texts.
 */
export async function reportFiles(results: StudyResults): Promise<Record<string, string>> {
  const document = await composeReport(results);
  return {
    ...figureFiles(document),
    'tables.tex': renderLatex(document),
    'results.json': `${JSON.stringify(results, null, 2)}\n`,
    'report.md': renderMarkdown(document),
    'report.html': renderHtml(document),
  };
}

export function figureFiles({ blocks }: ReportDocument): Record<string, string> {
  return Object.fromEntries(
    blocks.flatMap((block) =>
      block.kind === 'figure' ? [[`figures/${block.figure.name}.svg`, `${block.figure.svg}\n`]] : [],
    ),
  );
}

/**
 * Writes files into a folder.
 *
 * @returns their names, relative to the folder
 */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFileAtomic(join(folder, name), text);
  return Object.keys(files);
}
