import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Table } from './document.js';
import { renderLatex } from './latex.js';

const tableOf = (caption: string, rows: string[][]): Table => ({
  kind: 'table',
  caption,
  columns: rows[0]!.map((_, i) => ({ title: i === 0 ? 'x_1' : '95% of n', align: i === 0 ? 'left' : 'right' })),
  rows: rows.map((cells) => ({ cells })),
});
const bodyOf = (text: string): string => {
  const [, line] = /\\midrule\n(.*) \\\\\n\\bottomrule/.exec(
    renderLatex({ title: '', blocks: [tableOf('', [[text]])] }),
  )!;
  return line!;
};

test.each([
  ['a_b & 50% #1 {x} $', 'a\\_b \\& 50\\% \\#1 \\{x\\} \\$'],
  ['−0.1 ± 0.2 < 1 > 0', '$-$0.1 $\\pm$ 0.2 \\textless{} 1 \\textgreater{} 0'],
  ['partial η²', 'partial $\\eta$$^2$'],
  ['\\input{x} ~ ^ | "', "\\textbackslash{}input\\{x\\} \\textasciitilde{} \\textasciicircum{} \\textbar{} ''"],
  ['[1] *', '{[}1] {*}'],
  ['a\n\tb', 'a b'],
  ['Frédéric, Škoda, façade', "Fr\\'{e}d\\'{e}ric, \\v{S}koda, fa\\c{c}ade"],
  ['模 🙂 \u0000', '{[}U+6A21] {[}U+1F642] {[}U+0000]'],
])('%j keeps its text', (text, expected) => {
  expect(bodyOf(text)).toBe(expected);
});

test('no character is beyond what LaTeX reads without packages, and braces pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const body = bodyOf(text);
      expect(body).toMatch(/^[ -~]*$/);
      const depth = [...body.replace(/\\[{}]/g, '')].reduce(
        (sum, character) => sum + Number(character === '{') - Number(character === '}'),
        0,
      );
      expect(depth).toBe(0);
    }),
  );
});

test('tables that a page shows only when asked are left out', () => {
  expect(renderLatex({ title: '', blocks: [{ ...tableOf('all', [['a']]), collapsed: true }] })).not.toContain('all');
});

const installed = isInstalled('pdflatex');
if (!installed) console.warn('SKIPPED: tables set by LaTeX: install texlive-latex-base');

test.skipIf(!installed)('LaTeX sets every text without an error, and the tables of the example within a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redef-latex-'));
  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
  const hostile = [
    ...printable,
    '[a]',
    '*a',
    'ďáéěíňóřšťúůýž',
    'ß þ ı 模型 🙂',
    '\\end{tabular}',
    '% &',
    '\u0007\u2028',
  ];
  const documents = {
    hostile: renderLatex({
      title: '',
      blocks: [
        tableOf(
          hostile.join(''),
          hostile.slice(0, 40).map((text) => [text, text]),
        ),
      ],
    }),
    rest: renderLatex({
      title: '',
      blocks: [
        tableOf(
          '',
          hostile.slice(40).map((text) => [text, text]),
        ),
      ],
    }),
    example: readFileSync(new URL('../../../../examples/five-repositories/report/tables.tex', import.meta.url), 'utf8'),
  };
  for (const [name, tables] of Object.entries(documents)) {
    writeFileSync(join(folder, `${name}-tables.tex`), tables);
    const packages = name === 'example' ? '\\usepackage{graphicx}\n' : '';
    const text = `\\documentclass{article}\n${packages}\\begin{document}\n\\input{${name}-tables}\n\\end{document}\n`;
    writeFileSync(join(folder, `${name}.tex`), text);
    const args = ['-halt-on-error', '-interaction=nonstopmode', `${name}.tex`];
    const log = execFileSync('pdflatex', args, { cwd: folder, encoding: 'latin1' });
    expect(log).toMatch(/Output written on/);
    expect(log).not.toMatch(/Missing character/);
    if (name === 'example') expect(log).not.toMatch(/Overfull|Float too large/);
  }
  rmSync(folder, { recursive: true });
});

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
