import { RedefError, requireOption, shown } from '@redef/core';

export function requireOptions(options: unknown): void {
  const holds = typeof options === 'object' && options !== null && !Array.isArray(options);
  requireOption('options', options, holds, 'an object');
}

/** Columns, where they are given: one or more, each once, so that a file made of them can be read again. */
export function requireColumns(columns: unknown): void {
  const named = Array.isArray(columns) && columns.length > 0 && columns.every((name) => typeof name === 'string');
  const holds = columns === undefined || (named && new Set(columns).size === columns.length);
  requireOption('columns', columns, holds, 'a list of one name or more, each once');
}

export function requireCount(name: string, value: unknown): void {
  requireOption(
    name,
    value,
    value === undefined || (Number.isInteger(value) && Number(value) >= 1),
    'an integer from 1',
  );
}

export function requireFormat(format: unknown, known: readonly string[]): void {
  requireOption('format', format, typeof format === 'string' && known.includes(format), `one of ${known.join(', ')}`);
}

export function requireDelimiter(delimiter: unknown): void {
  const holds = delimiter === undefined || (typeof delimiter === 'string' && /^[^"\r\n\x80-\uffff]$/.test(delimiter));
  requireOption('delimiter', delimiter, holds, "one ASCII character such as ',' or '\\t'");
}

export function requirePath(path: unknown): void {
  if (typeof path === 'string') return;
  throw new RedefError(`expected the path of a file, got ${shown(path)}`, {
    code: 'invalid-path',
    remedy: 'Pass the path as a text.',
  });
}
