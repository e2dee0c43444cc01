import { type Table, textOf } from '@redef/experiment';

/** A table as aligned columns of plain text. */
export function renderTextTable({ caption, columns, rows }: Pick<Table, 'caption' | 'columns' | 'rows'>): string {
  const lines = [columns.map(({ title }) => title), ...rows.map(({ cells }) => cells.map(textOf))];
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        columns[column]!.align === 'right' ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  const [head, ...body] = lines.map(line);
  return [caption, '', head!, '-'.repeat(Math.max(...[head!, ...body].map(({ length }) => length))), ...body].join(
    '\n',
  );
}
