/** `'greater'`: the first sample, or the first condition, is the larger. */
export type Alternative = 'two-sided' | 'greater' | 'less';
export const alternatives: readonly Alternative[] = ['two-sided', 'greater', 'less'];

/** What every result says of itself, so that a table can be written from it alone. */
export interface ResultHeader {
  /** The method in words, with the variant that was used. */
  method: string;
  /** Number of pairs, subjects, items or trials. */
  n: number;
  /** What must hold for the numbers to mean what they say. */
  assumptions: readonly string[];
}

export interface Interval {
  /** Coverage, such as 0.95. */
  level: number;
  /** Infinite in a one-sided interval; JSON makes that null, which `describe` reads as such. */
  low: number;
  high: number;
}
