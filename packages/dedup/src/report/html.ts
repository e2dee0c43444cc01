import type { DataAudit } from '../auditor.js';
import type { RowRef } from '../rows.js';
import { type AuditReportParts, auditTables } from './audit-tables.js';
import type { AuditTable } from './tables.js';
import { auditVerdicts } from './verdicts.js';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; }
figure { margin: 2rem 0; overflow-x: auto; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: left; vertical-align: top; }
th { vertical-align: bottom; }
.number { text-align: right; }
.note { font-size: .9rem; opacity: .8; }
details { margin: 1rem 0; }
code { font-size: .9em; overflow-wrap: anywhere; }
`;

/** The audit as one page that needs nothing else: no script, no font, no link. */
export function renderAuditHtml(audit: DataAudit, parts: AuditReportParts = {}): string {
  const verdicts = auditVerdicts(audit).map((verdict) => `<li>${escapeHtml(verdict)}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data audit</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Data audit</h1>
<ul>
${verdicts.join('\n')}
</ul>
${auditTables(audit, parts).map(htmlTable).join('\n')}
${examples(audit)}
</main>
</body>
</html>
`;
}

function htmlTable({ caption, columns, rows, note }: AuditTable): string {
  const cell = (tag: 'th' | 'td', text: string, index: number) =>
    `<${tag}${tag === 'th' ? ' scope="col"' : ''}${columns[index]!.align === 'right' ? ' class="number"' : ''}>${escapeHtml(text)}</${tag}>`;
  const line = (tag: 'th' | 'td', cells: readonly string[]) =>
    `<tr>${cells.map((text, index) => cell(tag, text, index)).join('')}</tr>`;
  return `<figure tabindex="0">
<figcaption>${escapeHtml(caption)}</figcaption>
<table>
<thead>${line(
    'th',
    columns.map(({ title }) => title),
  )}</thead>
<tbody>
${rows.map(({ cells }) => line('td', cells)).join('\n')}
</tbody>
</table>
${note ? `<p class="note">${escapeHtml(note)}</p>` : ''}
</figure>`;
}

/** Where to look: the first rows behind the counts, by set and 0-based position. */
function examples({ contradictionsBy, quality, leaks }: DataAudit): string {
  const found: [string, string[]][] = [];
  for (const { by, examples } of contradictionsBy) {
    found.push([
      `Codes under several labels (${by})`,
      examples.map(({ labels }) => labels.map(({ label, at }) => `${label} at ${place(at)}`).join('; ')),
    ]);
  }
  for (const [name, leak] of [
    ['Commits in several sets', leaks.commits],
    ['Functions in several sets', leaks.functions],
  ] as const) {
    found.push([name, (leak?.examples ?? []).map(({ value, at }) => `${value}: ${at.map(place).join(', ')}`)]);
  }
  for (const { within, examples } of leaks.time ?? []) {
    found.push([
      `Rows too early${within.length > 0 ? ` within their ${within.join(' and ')}` : ''}`,
      examples.map(({ at, newer }) => `${place(at)} is older than ${place(newer)}`),
    ]);
  }
  for (const [set, { examples }] of Object.entries(quality)) {
    for (const [issue, rows] of Object.entries(examples))
      found.push([`${issue} in ${set}`, [`rows ${rows.join(', ')}`]]);
  }
  return found
    .filter(([, lines]) => lines.length > 0)
    .map(
      ([title, lines]) =>
        `<details><summary>${escapeHtml(title)}</summary>\n<ul>${lines.map((line) => `<li><code>${escapeHtml(line)}</code></li>`).join('\n')}</ul>\n</details>`,
    )
    .join('\n');
}

function place({ set, row, id }: RowRef): string {
  return id === undefined ? `${set} ${row}` : `${set} ${row} (${id})`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
