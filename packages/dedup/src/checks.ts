import { requireOption } from '@redef/core';

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

/** The audit of `auditData` or `auditChanges`, also one that was read from JSON. */
export function requireAudit(audit: unknown): void {
  const schema = typeof audit === 'object' && audit !== null && 'schema' in audit ? audit.schema : undefined;
  requireOption('audit', audit, schema === 'redef.data-audit/1', 'what auditData gives');
}
