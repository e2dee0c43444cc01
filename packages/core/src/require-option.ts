import { RedefError } from './errors.js';

/**
 * For callers without types: no option of another kind may pass for one that is known, or reach what would read it.
 *
 * @throws `RedefError` `invalid-option`
 */
export function requireOption(name: string, value: unknown, holds: boolean, expected: string): void {
  if (holds) return;
  throw new RedefError(`${name} must be ${expected}, got ${shown(value)}`, {
    code: 'invalid-option',
    remedy: `Pass ${name} as ${expected}.`,
  });
}

/** A value as an error shows it: short, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return `[${value.slice(0, 5).map(shown).join(', ')}${value.length > 5 ? ', ...' : ''}]`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
