import { type Link, type ReportDocument, type Table, textOf } from './document.js';

/** What the tables are set with where a paper loads neither `booktabs` nor `graphicx`. */
const commands = [
  ...['toprule', 'midrule', 'bottomrule'].map((rule) => `\\providecommand{\\${rule}}{\\hline}`),
  '\\providecommand{\\tofit}[1]{\\ifdefined\\resizebox\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{#1}\\else#1\\fi}',
];

/**
 * The tables of a report as LaTeX, for `\input` in a paper: no package is needed; `booktabs` gives better rules and
 * `graphicx` makes wide tables as narrow as the text where they are loaded. Tables that a page shows only when asked are
 * left out.
 */
export function renderLatex({ blocks }: ReportDocument): string {
  const tables = blocks.flatMap((block) => (block.kind === 'table' && !block.collapsed ? [renderTable(block)] : []));
  return [...commands, '', ...tables].join('\n');
}

function renderTable({ caption, columns, rows }: Table): string {
  const line = (cells: readonly (string | Link)[]): string =>
    `${cells.map((cell) => escapeLatex(textOf(cell))).join(' & ')} \\\\`;
  return [
    '\\begin{table}',
    '\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}',
    `\\caption{${escapeLatex(caption)}}`,
    `\\tofit{\\begin{tabular}{${columns.map(({ align }) => align[0]).join('')}}`,
    '\\toprule',
    line(columns.map(({ title }) => title)),
    '\\midrule',
    ...rows.map(({ cells }) => line(cells)),
    '\\bottomrule',
    '\\end{tabular}}',
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
  '|': '\\textbar{}',
  '"': "''",
  // At the beginning of a row they would belong to the line break before it.
  '[': '{[}',
  '*': '{*}',
  '±': '$\\pm$',
  '−': '$-$',
  '→': '$\\rightarrow$',
  '×': '$\\times$',
  η: '$\\eta$',
  '²': '$^2$',
};

/** Combining characters and the commands that set them. */
const accents: Record<string, string> = {
  '\u0300': '`',
  '\u0301': "'",
  '\u0302': '^',
  '\u0303': '~',
  '\u0304': '=',
  '\u0306': 'u',
  '\u0307': '.',
  '\u0308': '"',
  '\u030a': 'r',
  '\u030c': 'v',
  '\u0327': 'c',
};

/** Text as itself in what every LaTeX reads; a character that only some fonts have as its number: `{[}U+6A21]`. */
function escapeLatex(text: string): string {
  return text.replace(/\s+|[^ -~]|[\\~^<>|"[*&%$#_{}]/gu, (character) => {
    if (special[character]) return special[character];
    if (/\s/.test(character)) return ' ';
    if (character <= '~' && character >= ' ') return `\\${character}`;
    const [base = '', accent = '', ...more] = character.normalize('NFD');
    if (accents[accent] && more.length === 0 && /[A-Za-z]/.test(base)) return `\\${accents[accent]}{${base}}`;
    return `{[}U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
