import type { Condition } from '../evaluate.js';
import { type TableMetrics, tableMetricNames } from '../trivial.js';
import { right, type Table } from './document.js';

const metricTitles = { f1: 'F1', prAuc: 'PR-AUC', accuracy: 'accuracy', precision: 'precision', recall: 'recall' };

export const metricColumns = (): Table['columns'] => tableMetricNames.map((name) => right(metricTitles[name]));

export const metricCells = (metrics: TableMetrics): string[] =>
  tableMetricNames.map((name) => metrics[name]?.toFixed(4) ?? '');

export const plusMinus = ({ mean, standardDeviation, seeds }: Condition): string[] =>
  tableMetricNames.map((name) => {
    const value = mean[name]?.toFixed(4) ?? '';
    return seeds.length < 2 || value === '' ? value : `${value} ± ${standardDeviation[name]!.toFixed(4)}`;
  });

export function whole(value: unknown): string {
  return typeof value === 'number' ? `${value}`.replace(/\B(?=(\d{3})+$)/g, ',') : '';
}

export function share(part: number, all: number): string {
  return all === 0 ? '' : `${((100 * part) / all).toFixed(1)}%`;
}

/** With a sign always. */
export function signed(value: number, digits = 4): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}

/** A statistic: two digits, and a sign where it is negative. */
export function twoDigits(value: number): string {
  return value.toFixed(2).replace('-', '−');
}

export function pValue(p: number): string {
  return p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, '');
}
