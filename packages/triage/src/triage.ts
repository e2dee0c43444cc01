import {
  type ChangeEvidence,
  type CodeChange,
  type Label,
  mapOrdered,
  parseRecord,
  RedefError,
  type Reject,
  type RunOptions,
  throwIfAborted,
  UniqueIds,
  type Vote,
} from '@redef/core';
import { createMemoryCache, type VoteCache, voteKey } from './cache.js';
import { checkRule, decide, type Rule } from './decide.js';
import { buildEvidence, type Evidence, type EvidenceOptions } from './evidence.js';
import { withManyListeners } from './many-listeners.js';
import { createSemaphore } from './semaphore.js';
import { SummaryTally, type TriageSummary } from './summary.js';
import { type TriageEvent, type Voter, voteHeader } from './voter.js';

export interface Candidate {
  change: CodeChange;
  evidence: ChangeEvidence;
}

/** One candidate's outcome: exactly one of `label` and `reject` is there. */
export interface TriageRow {
  id: string;
  /** In the order of the ballots. */
  votes: Vote[];
  label?: Label;
  reject?: Reject;
}

export interface TriageOptions extends RunOptions<TriageEvent> {
  /** Ballot `i` is cast by voter `i` modulo their number: one voter casts all, three cast one each. */
  voters: readonly Voter[];
  /** Default 3. */
  ballots?: number;
  /** Default `unanimous-ab`. */
  rule?: Rule;
  /** Votes already cast are taken from here, new ones are stored as they come. Default: in memory only. */
  cache?: VoteCache;
  /** Calls under way at once, all voters together. Default 8. */
  concurrency?: number;
  /** How evidence is cut. */
  evidence?: Omit<EvidenceOptions, 'rubric'>;
  /** Number of candidates, for the progress events. */
  total?: number;
}

/**
 * Puts every candidate to the vote and yields the outcomes in the order of the input; returns the summary. Of candidates
 * that are through memory holds the id alone.
 *
 * A vote that cannot be had (a refusal, an answer outside the schema) is an abstention. A failure that will not pass
 * (a wrong key, a spent budget, a server that stays away) ends the run with an error: waits end at once, calls under way
 * are let finish and their votes kept. With a lasting cache the same call goes on from there.
 *
 * @throws `RedefError` of the voter, `duplicate-id` where two candidates have one, `invalid-vote` where a voter casts another
 *   vote than the one it was asked for, or `aborted`
 */
export async function* triage(
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  options: TriageOptions,
): AsyncGenerator<TriageRow, TriageSummary, undefined> {
  const { voters, ballots = 3, rule = 'unanimous-ab', concurrency = 8, onEvent, total } = options;
  const panel = panelOf(voters, ballots);
  checkRule(rule);
  checkConcurrency(concurrency);
  const tally = new SummaryTally(rule, ballots);
  const { signal, release } = withManyListeners(options.signal);
  const booth = createBooth(options.cache ?? createMemoryCache(), concurrency, { signal, ...(onEvent && { onEvent }) });
  const ids = new UniqueIds((place) => `candidate ${place}`);
  const outcomes = mapOrdered(
    candidates,
    async ({ change, evidence: history }, index) => {
      ids.add(change.id, index + 1);
      const evidence = buildEvidence(change, history, options.evidence);
      const cast = await Promise.allSettled(panel.map((voter, ballot) => booth.cast(voter, evidence, ballot)));
      const failed = cast.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      const votes = cast.map((result) => (result as PromiseFulfilledResult<Vote>).value);
      return { evidence, row: { id: change.id, votes, ...decide(evidence.rubric, votes, rule) } };
    },
    // far enough ahead that one slow candidate at the front does not starve the calls
    { concurrency: 4 * concurrency, signal },
  );

  const started = performance.now();
  let done = 0;
  try {
    for await (const { evidence, row } of outcomes) {
      tally.add(evidence, row);
      let resumed = false;
      try {
        yield row;
        resumed = true;
      } finally {
        if (!resumed) booth.close(); // the consumer is through: what waits for its turn is not asked any more
      }
      done++;
      const elapsed = (performance.now() - started) / 1000;
      onEvent?.({
        type: 'progress',
        stage: 'triage',
        unit: 'candidates',
        done,
        ...(total === undefined ? {} : { total, seconds_left: (elapsed / done) * Math.max(0, total - done) }),
      });
    }
  } finally {
    booth.release();
    release();
  }
  return tally.summary();
}

/** Where votes are cast: from the cache, from a call already under way for the same key, or by asking the voter. */
function createBooth(cache: VoteCache, concurrency: number, run: RunOptions<TriageEvent> & { signal: AbortSignal }) {
  const admit = createSemaphore(concurrency);
  const underWay = new Map<string, Promise<Vote>>();
  let failure: { error: unknown } | undefined;
  const closing = withManyListeners(run.signal);
  const fail = (error: unknown): { error: unknown } => {
    failure ??= { error };
    closing.abort(error);
    return failure;
  };

  const ask = async (voter: Voter, evidence: Evidence, ballot: number, key: string): Promise<Vote> => {
    try {
      const cast = await admit(async () => {
        throwIfAborted(run.signal);
        if (failure) throw failure.error; // start nothing new once the run is lost
        return voter.vote(evidence, ballot, { ...run, closing: closing.signal });
      });
      // checked and brought into the members' order that a vote from a file has: a rerun gives the same bytes
      const vote = parseRecord('redef.vote/1', cast, `a vote of ${voter.id}`);
      checkHeader(vote, voteHeader(voter, evidence, ballot), `a vote of ${voter.id}`);
      await cache.set(key, vote); // outside the gate: the next call need not wait for the disk
      return vote;
    } catch (error) {
      throw fail(error).error; // the first one: it made the others give up
    }
  };

  return {
    async cast(voter: Voter, evidence: Evidence, ballot: number): Promise<Vote> {
      const key = voteKey(voter, evidence, ballot);
      let vote = underWay.get(key);
      if (!vote) {
        vote = Promise.resolve(cache.get(key)).then((known) => known ?? ask(voter, evidence, ballot, key));
        underWay.set(key, vote);
        vote.finally(() => underWay.delete(key)).catch(() => {}); // the caller sees the failure
      }
      return { ...(await vote), id: evidence.id };
    },
    /** Starts no further call; those under way are let finish and kept. */
    close(): void {
      fail(new Error('the run was left')); // seen by nobody
    },
    release: closing.release,
  };
}

/** @throws `RedefError` `invalid-vote` where a vote is not the one that was asked for */
function checkHeader(vote: Vote, { truncated: _mayBeAbsent, ...asked }: ReturnType<typeof voteHeader>, where: string) {
  for (const name of Object.keys(asked) as (keyof typeof asked)[]) {
    if (vote[name] === asked[name]) continue;
    throw new RedefError(
      `${where}: ${name} is ${JSON.stringify(vote[name])}, expected ${JSON.stringify(asked[name])}`,
      {
        code: 'invalid-vote',
        remedy: 'Make the voter answer for the evidence and the ballot that it is given.',
      },
    );
  }
}

/**
 * The voter of each ballot.
 *
 * @throws `RedefError` `invalid-option` where some voter would have none
 */
export function panelOf<V>(voters: readonly V[], ballots: number): V[] {
  if (voters.length === 0 || !Number.isInteger(ballots) || ballots < voters.length) {
    throw new RedefError(`${ballots} ballots cannot be shared among ${voters.length} voters`, {
      code: 'invalid-option',
      remedy: 'Pass at least one voter and at least one ballot for each.',
    });
  }
  return Array.from({ length: ballots }, (_, ballot) => voters[ballot % voters.length]!);
}

function checkConcurrency(concurrency: number): void {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RedefError(`concurrency must be an integer of at least 1, got ${concurrency}`, {
      code: 'invalid-option',
      remedy: 'Pass 1 for one call at a time.',
    });
  }
}
