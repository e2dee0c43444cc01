import type { Counter } from '@redef/core';

/** What a mining run saw and kept; `counts` by name, keys in code-unit order. */
export interface MiningSummary {
  project: string;
  /** The last commit of the history that was mined. */
  head: string;
  /** Commits of that history. */
  commits: number;
  /** How the index folder was found: `new`, `extended`, `current` or `rewritten`. */
  index: string;
  counts: MiningCounts;
}

export interface MiningCounts {
  /** `commits`, `commits_merge`, `commits_modified` (one accepted file), `commits_several_files`, ... */
  history: Record<string, number>;
  /** Single-function changes that pass the filters, and functions that commits touched. */
  single_file: number;
  single_function: number;
  touches: number;
  /** Revert links by shape, and of these the loose and strict ones; `targets_single_function` by the same. */
  reverts: Record<string, number>;
  /** Rows that came out. */
  defective: number;
  clean: number;
  /** Defective ones that found no clean change in their window. */
  unmatched: number;
  /** Drops as `stage/reason`. */
  rejects: Record<string, number>;
  confidence: Record<string, number>;
}

/** Merges the counts of the segments of an index. */
export function addCounts(into: Counter, counts: Record<string, number>): void {
  for (const [name, count] of Object.entries(counts)) into.add(name, count);
}
