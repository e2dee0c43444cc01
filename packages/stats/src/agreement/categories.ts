import { fail, requireArray } from '../checks.js';

export type Category = string | number | boolean;

/** A list of categories, if there is one, must name each of them once: its order is what distances are counted in. */
export function requireCategories(categories: readonly Category[] | undefined): void {
  if (categories === undefined) return;
  requireArray(categories, 'categories');
  if (!Array.isArray(categories) || new Set(categories).size !== categories.length) {
    fail(
      'invalid-option',
      'categories must be an array that names each category once',
      "Pass categories: ['low', 'medium', 'high'], say.",
    );
  }
}
