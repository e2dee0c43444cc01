import { distance } from 'fastest-levenshtein';

/**
 * 1 - Levenshtein distance / length of the longer, in UTF-16 code units: 1 for equal texts (two empty ones included), 0
 * for texts with nothing in common.
 */
export function editSimilarity(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  return longer === 0 ? 1 : 1 - distance(one, other) / longer;
}
