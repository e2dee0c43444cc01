import { RedefError } from '@redef/core';

// For callers without types: an option of another kind must not pass for one of those that are known.

/** @throws `RedefError` `invalid-option` */
export function requireOption(name: string, value: unknown, holds: boolean, expected: string): void {
  if (holds) return;
  throw new RedefError(`${name} must be ${expected}, got ${shown(value)}`, {
    code: 'invalid-option',
    remedy: `Pass ${name} as ${expected}.`,
  });
}

export function requireObject(name: string, value: unknown): void {
  requireOption(name, value, typeof value === 'object' && value !== null && !Array.isArray(value), 'an object');
}

/** A list of column names, where one is given. */
export function requireColumns(name: string, value: unknown): void {
  const holds = value === undefined || (Array.isArray(value) && value.every((column) => typeof column === 'string'));
  requireOption(name, value, holds, 'a list of column names');
}

/** One column's name, where one is given. */
export function requireColumn(name: string, value: unknown): void {
  requireOption(name, value, value === undefined || typeof value === 'string', "a column's name");
}

export function requireCount(name: string, value: unknown): void {
  requireOption(name, value, Number.isInteger(value) && Number(value) >= 1, 'an integer from 1');
}

export function requireSwitch(name: string, value: unknown): void {
  requireOption(name, value, value === undefined || typeof value === 'boolean', 'true or false');
}

/** A value as an error shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The audit of `auditData` or `auditChanges`, also one that was read from JSON. */
export function requireAudit(audit: unknown): void {
  const schema = typeof audit === 'object' && audit !== null && 'schema' in audit ? audit.schema : undefined;
  requireOption('audit', audit, schema === 'redef.data-audit/1', 'what auditData gives');
}
