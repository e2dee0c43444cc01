import { RedefError } from '@redef/core';

/** @throws `RedefError` `invalid-option` */
export function checkInteger(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new RedefError(`${name} must be an integer ${range}, got ${value}`, {
    code: 'invalid-option',
    remedy: `Pass another ${name}.`,
  });
}
