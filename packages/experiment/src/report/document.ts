import type { Figure } from './draw.js';

/** A report as blocks, rendered to Markdown or HTML; both say the same. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'warning'; text: string }
  | { kind: 'list'; items: (string | Link)[] }
  | { kind: 'figure'; figure: Figure }
  | Table;

/** A number or a text with the file it came from; `href` is relative to the report's folder. */
export interface Link {
  text: string;
  href: string;
}

export interface Table {
  kind: 'table';
  caption: string;
  /** Shown only when asked for, where the form allows. */
  collapsed?: boolean;
  columns: { title: string; align: 'left' | 'right' }[];
  /** `id`: what a link to the row names. */
  rows: { cells: (string | Link)[]; emphasis?: 'baseline'; id?: string }[];
}

export const textOf = (cell: string | Link): string => (typeof cell === 'string' ? cell : cell.text);

export interface ReportDocument {
  title: string;
  blocks: Block[];
}

export const left = (title: string): Table['columns'][number] => ({ title, align: 'left' });
export const right = (title: string): Table['columns'][number] => ({ title, align: 'right' });
