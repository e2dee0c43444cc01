import type { ProgressEvent, RunOptions, Vote } from '@redef/core';
import type { Evidence } from './evidence.js';

/** What a triage run tells of itself. */
export type TriageEvent =
  | (ProgressEvent & {
      /** At the pace so far; absent while the total or the pace is unknown. */
      seconds_left?: number;
    })
  | {
      /** A call failed and will be made again. */
      type: 'retry';
      voter: string;
      reason: string;
      attempt: number;
      delay_ms: number;
    }
  | {
      /** How many calls at once the voter now allows itself. */
      type: 'concurrency';
      voter: string;
      limit: number;
    }
  | {
      /** A batch job changed its state. */
      type: 'batch';
      voter: string;
      batch: string;
      status: string;
      completed: number;
      failed: number;
      total: number;
    };

/** What a voter is given for one vote. */
export interface VoteRun extends RunOptions<TriageEvent> {
  /**
   * Fires once the run has no use for further calls (another voter's key was refused, or `signal` fired): whoever waits
   * to make one gives up at once, while a call under way may still be answered. Default: `signal`.
   */
  closing?: AbortSignal;
}

export interface Voter {
  /** Who votes, with provider and model: `openai:gpt-4o-2024-08-06`, `rules/1`. */
  readonly id: string;
  /** True where no language model is asked. Its votes and every label that rests on one say so. */
  readonly ruleBased: boolean;
  /** As the price table names it; absent where nothing is charged. */
  readonly model?: string;
  /** Whatever else shapes an answer (temperature, output format): part of the cache's key. Default none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** One independent ballot, 0-based. An answer that cannot be had is a vote with `category: null` and the reason. */
  vote(evidence: Evidence, ballot: number, run?: VoteRun): Promise<Vote>;
}

/** The members that every vote of a voter on a candidate shares. */
export function voteHeader(voter: Pick<Voter, 'id' | 'ruleBased'>, evidence: Evidence, ballot: number) {
  return {
    schema: 'redef.vote/1',
    id: evidence.id,
    ballot,
    voter: voter.id,
    rule_based: voter.ruleBased,
    rubric: evidence.rubric.id,
    evidence_digest: evidence.digest,
    ...(evidence.truncated > 0 ? { truncated: evidence.truncated } : {}),
  } as const;
}
