import { type Link, type ReportDocument, type Table, textOf } from './document.js';

/** The tables of a report as LaTeX, for `\input` in a paper; needs `booktabs`. Tables that a page shows only when asked are left out. */
export function renderLatex({ blocks }: ReportDocument): string {
  return `${blocks.flatMap((block) => (block.kind === 'table' && !block.collapsed ? [renderTable(block)] : [])).join('\n')}`;
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
  η: '$\\eta$',
  '²': '$^2$',
};

function escapeLatex(text: string): string {
  return text.replace(/[\\~^<>±−→×η²&%$#_{}]/g, (character) => special[character] ?? `\\${character}`);
}
