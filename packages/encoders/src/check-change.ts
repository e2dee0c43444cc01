import { RedefError } from '@redef/core';
import type { ChangeText } from './layout.js';

/**
 * Rows of a file reach an encoder unchecked: a missing function would end in a stack trace, and all rows without an id
 * would share one draw.
 *
 * @throws `RedefError` `invalid-change`
 */
export function checkChange(change: ChangeText): void {
  for (const name of ['id', 'function_before', 'function_after'] as const) {
    const value: unknown = change?.[name];
    if (typeof value === 'string') continue;
    const which = name === 'id' || typeof change?.id !== 'string' ? 'A change' : `Change ${change.id}`;
    throw new RedefError(`${which}: expected ${name} to be a string, got ${value === null ? 'null' : typeof value}`, {
      code: 'invalid-change',
      remedy: 'Pass { id, function_before, function_after }; a function that is not there is the empty string.',
    });
  }
}
