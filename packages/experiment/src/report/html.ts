import type { Block, Link, ReportDocument, Table } from './document.js';

const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --page: #ffffff; --band: #f6f8fa; --warn: #9a6700; --warn-page: #fff8c5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --page: #0d1117; --band: #151b23; --warn: #d29922; --warn-page: #272115; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { margin-top: 2.4rem; font-size: 1.2rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
.warning { border-left: 4px solid var(--warn); background: var(--warn-page); padding: .6rem .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
p, li, .caption, figcaption, summary { max-width: 62rem; }
.caption, figcaption, summary { color: var(--soft); font-size: .9rem; }
.caption { margin: 1.4rem 0 .35rem; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { background: var(--band); white-space: normal; vertical-align: bottom; }
.right { text-align: right; }
.baseline { color: var(--soft); }
details { margin: 1.4rem 0; }
summary { cursor: pointer; margin-bottom: .35rem; }
figure { margin: 1.6rem 0; }
figcaption { padding-bottom: .35rem; }
figure svg { display: block; width: 100%; max-width: 44rem; min-width: 34rem; height: auto; }
a { color: inherit; text-decoration-color: var(--line); text-underline-offset: .2em; }
a:hover { text-decoration-color: currentColor; }
li { margin: .25rem 0; overflow-wrap: anywhere; }
`;

/** One self-contained page: no script, no font, no network; light and dark, wide and narrow. */
export function renderHtml({ title, blocks }: ReportDocument): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<h1>${escapeHtml(title)}</h1>`,
    ...blocks.map(renderBlock),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escapeHtml(block.text)}</h2>`;
    case 'paragraph':
      return `<p>${escapeHtml(block.text)}</p>`;
    case 'warning':
      return `<p class="warning" role="note">${escapeHtml(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${renderText(item)}</li>`).join('')}</ul>`;
    case 'figure':
      return `<figure><figcaption>${escapeHtml(block.figure.title)}</figcaption><div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(block.figure.title)}">${block.figure.svg}</div></figure>`;
    case 'table':
      return renderTable(block);
  }
}

function renderTable({ caption, columns, rows, collapsed }: Table): string {
  const cell = (tag: 'th' | 'td', text: string | Link, column: number): string =>
    `<${tag}${tag === 'th' ? ' scope="col"' : ''}${columns[column]!.align === 'right' ? ' class="right"' : ''}>${renderText(text)}</${tag}>`;
  const head = columns.map(({ title }, column) => cell('th', title, column)).join('');
  const body = rows.map(
    ({ cells, emphasis, id }) =>
      `<tr${id === undefined ? '' : ` id="${escapeHtml(id)}"`}${emphasis ? ` class="${emphasis}"` : ''}>${cells.map((text, column) => cell('td', text, column)).join('')}</tr>`,
  );
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
  return collapsed
    ? `<details><summary>${escapeHtml(caption)}</summary>${table}</details>`
    : `<p class="caption">${escapeHtml(caption)}</p>${table}`;
}

function renderText(text: string | Link): string {
  return typeof text === 'string'
    ? escapeHtml(text)
    : `<a href="${escapeHtml(encodeURI(text.href))}">${escapeHtml(text.text)}</a>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
