import { type Link, type ReportDocument, type Table, textOf } from './document.js';

/** The tables of a report as LaTeX, for `\input` in a paper; needs `booktabs`. */
export function renderLatex({ blocks }: ReportDocument): string {
  return `${blocks.flatMap((block) => (block.kind === 'table' ? [renderTable(block)] : [])).join('\n')}`;
}

function renderTable({ caption, columns, rows }: Table): string {
  const line = (cells: readonly (string | Link)[]): string =>
    `${cells.map((cell) => escapeLatex(textOf(cell))).join(' & ')} \\\\`;
  return [
    '\\begin{table}',
    `\\caption{${escapeLatex(caption)}}`,
    `\\begin{tabular}{${columns.map(({ align }) => align[0]).join('')}}`,
    '\\toprule',
    line(columns.map(({ title }) => title)),
    '\\midrule',
    ...rows.map(({ cells }) => line(cells)),
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
    '',
  ].join('\n');
}

const special: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '±': '$\\pm$',
  '−': '$-$',
  '→': '$\\rightarrow$',
  '×': '$\\times$',
};

function escapeLatex(text: string): string {
  return text.replace(/[\\~^<>±−→×&%$#_{}]/g, (character) => special[character] ?? `\\${character}`);
}
