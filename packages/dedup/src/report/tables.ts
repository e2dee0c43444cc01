/** A table of the report: numbers are aligned right. */
export interface AuditTable {
  kind: 'table';
  caption: string;
  columns: { title: string; align: 'left' | 'right' }[];
  rows: { cells: string[] }[];
  /** What the columns mean, in a sentence or two. */
  note?: string;
}

const left = (title: string): AuditTable['columns'][number] => ({ title, align: 'left' });
const right = (title: string): AuditTable['columns'][number] => ({ title, align: 'right' });

/** Titles that end with `>` name a column of numbers. */
export function table(
  caption: string,
  titles: readonly string[],
  rows: readonly (string | number)[][],
  note?: string,
): AuditTable {
  return {
    kind: 'table',
    caption,
    columns: titles.map((title) => (title.endsWith('>') ? right(title.slice(0, -1)) : left(title))),
    rows: rows.map((cells) => ({ cells: cells.map((cell) => (typeof cell === 'number' ? count(cell) : cell)) })),
    ...(note !== undefined && { note }),
  };
}

/** 1234567 as 1,234,567. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 0.1234 as 12.3%. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
