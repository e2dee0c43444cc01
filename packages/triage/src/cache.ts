import { digestOf, type Vote } from '@redef/core';
import type { Evidence } from './evidence.js';
import { promptVersion } from './prompt.js';
import type { Voter } from './voter.js';

/** Votes already cast. A vote is stored once and never changed. */
export interface VoteCache {
  get(key: string): Vote | undefined | Promise<Vote | undefined>;
  /** Resolves once the vote would survive the death of the process. */
  set(key: string, vote: Vote): void | Promise<void>;
}

/**
 * What makes two calls the same call: prompt and rubric version, voter (provider and model), its parameters, ballot and evidence
 * digest. Candidates with equal evidence share their votes, and each gets its own `id` in the row.
 */
export function voteKey(voter: Pick<Voter, 'id' | 'parameters'>, evidence: Evidence, ballot: number): string {
  return digestOf({
    prompt: promptVersion,
    rubric: evidence.rubric.id,
    voter: voter.id,
    parameters: voter.parameters ?? {},
    ballot,
    evidence: evidence.digest,
  });
}

/** Forgets with the process: for tests and small runs. */
export function createMemoryCache(): VoteCache {
  const votes = new Map<string, Vote>();
  return {
    get: (key) => votes.get(key),
    set(key, vote) {
      if (!votes.has(key)) votes.set(key, vote);
    },
  };
}
