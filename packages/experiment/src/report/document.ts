import type { Figure } from './figures.js';

/** A report as blocks, rendered to Markdown or HTML; both say the same. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'warning'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'figure'; figure: Figure }
  | Table;

export interface Table {
  kind: 'table';
  caption: string;
  columns: { title: string; align: 'left' | 'right' }[];
  rows: { cells: string[]; emphasis?: 'baseline' }[];
}

export interface ReportDocument {
  title: string;
  blocks: Block[];
}

export const left = (title: string): Table['columns'][number] => ({ title, align: 'left' });
export const right = (title: string): Table['columns'][number] => ({ title, align: 'right' });
