import { type Block, type Link, type ReportDocument, textOf } from './document.js';

/** GitHub-flavoured Markdown. */
export function renderMarkdown({ title, blocks }: ReportDocument): string {
  return `# ${escapeMarkdown(title)}\n\n${blocks.map(renderBlock).join('\n\n')}\n`;
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `## ${escapeMarkdown(block.text)}`;
    case 'paragraph':
      return escapeMarkdown(block.text);
    case 'warning':
      return `> **${escapeMarkdown(block.text)}**`;
    case 'list':
      return block.items.map((item) => `- ${renderText(item)}`).join('\n');
    case 'figure':
      return `![${escapeMarkdown(`${block.figure.title}. ${block.figure.alternative}`)}](figures/${block.figure.name}.svg)`;
    case 'table': {
      const line = (cells: readonly (string | Link)[]): string => `| ${cells.map(renderText).join(' | ')} |`;
      return [
        `**${escapeMarkdown(block.caption)}**`,
        '',
        line(block.columns.map(({ title }) => title)),
        `|${block.columns.map(({ align }) => (align === 'right' ? '--:' : '---')).join('|')}|`,
        ...block.rows.map(({ cells }) => line(cells)),
      ].join('\n');
    }
  }
}

function renderText(text: string | Link): string {
  if (typeof text === 'string' || text.href.startsWith('#')) return escapeMarkdown(textOf(text));
  const href = encodeURI(text.href).replace(/[()|]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `[${escapeMarkdown(text.text)}](${href})`;
}

/** Text as itself: nothing in a project's name or a message may become markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replace(/\s+/g, ' ');
}
