import type { DataAudit } from '../auditor.js';
import { type AuditReportParts, auditTables } from './audit-tables.js';
import type { AuditTable } from './tables.js';
import { auditVerdicts } from './verdicts.js';

/** The audit as Markdown, its tables ready for a paper. */
export function renderAuditMarkdown(audit: DataAudit, parts: AuditReportParts = {}): string {
  const verdicts = auditVerdicts(audit).map((verdict) => `- ${escapeMarkdown(verdict)}`);
  const tables = auditTables(audit, parts).map(markdownTable);
  return `${['# Data audit', verdicts.join('\n'), ...tables].filter((block) => block !== '').join('\n\n')}\n`;
}

function markdownTable({ caption, columns, rows, note }: AuditTable): string {
  const lines = [columns.map(({ title }) => title), ...rows.map(({ cells }) => cells)].map((cells) =>
    cells.map(escapeMarkdown),
  );
  const widths = columns.map((_column, index) => Math.max(3, ...lines.map((cells) => cells[index]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (columns[index]!.align === 'right' ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!))).join(' | ')} |`;
  const rule = `| ${columns.map(({ align }, index) => (align === 'right' ? `${'-'.repeat(widths[index]! - 1)}:` : '-'.repeat(widths[index]!))).join(' | ')} |`;
  const [head, ...body] = lines.map(line);
  return [`**${escapeMarkdown(caption)}**`, '', head, rule, ...body, ...(note ? ['', escapeMarkdown(note)] : [])].join(
    '\n',
  );
}

/** Names of sets and columns come from files: none of them may become markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|~#]/g, (character) => `\\${character}`).replace(/\s+/g, ' ');
}
