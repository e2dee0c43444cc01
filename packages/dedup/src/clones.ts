import type { CloneCluster, CloneLeak } from './clone-clusters.js';
import type { BandPlan } from './minhash.js';
import type { RowRef } from './rows.js';

export interface NearDuplicateOptions {
  /** The column of code compared, its tag and markers stripped; default by {@link inferLayout}. */
  column?: string;
  /** Least Jaccard index of the sets of token shingles, above 0 to 1. Default 0.8. */
  threshold?: number;
  /** Tokens in one shingle. Default 3. */
  shingleTokens?: number;
  /** Expected recall of pairs exactly at the threshold, from which the bands follow; closer pairs have a higher one. Default 0.995. */
  recall?: number;
  /** Texts with fewer tokens are compared exactly only: short functions are alike by nature. Default 20. */
  minTokens?: number;
  /** Seed of the permutations. Default 0. */
  seed?: number | string;
}

/** Two rows found alike: enough links to connect each cluster, not every pair of it. Rows with equal tokens have none. */
export interface CloneLink {
  first: RowRef;
  second: RowRef;
  kind: 'renamed' | 'near';
  /** Exact, never estimated; at least the threshold for `near`. */
  jaccard: number;
}

export interface NearDuplicates {
  schema: 'redef.near-duplicates/1';
  settings: Required<Omit<NearDuplicateOptions, 'recall'>> & BandPlan & { expectedRecall: number };
  sets: Record<string, { rows: number; short: number }>;
  /** Groups of two rows or more. Two members far apart may be joined by others between them. */
  clusters: CloneCluster[];
  links: CloneLink[];
  leak: CloneLeak;
  /** Candidate pairs whose Jaccard index was computed, and buckets so large that only neighbours in them were. */
  work: { verified: number; cappedBuckets: number };
}
