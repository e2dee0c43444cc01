import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedefError, type RunOptions, throwIfAborted } from '@redef/core';
import type { Batch } from 'openai/resources/batches';
import { costUsd } from '../../budget.js';
import type { VoteCache } from '../../cache.js';
import { withManyListeners } from '../../many-listeners.js';
import { type Candidate, panelOf, type TriageOptions } from '../../triage.js';
import type { TriageEvent } from '../../voter.js';
import { redact } from '../client.js';
import { identify, type OpenAIVoterOptions } from '../voter.js';
import { BatchApi } from './api.js';
import { type Collected, collect } from './collect.js';
import { type Job, readJobs, saveState } from './job.js';
import { planJobs } from './plan.js';

export interface BatchOptions extends RunOptions<TriageEvent>, Pick<TriageOptions, 'ballots' | 'evidence'> {
  /** As for `createOpenAIVoter`; ballots are shared among them as `triage` shares them. */
  voters: readonly OpenAIVoterOptions[];
  /** Where the votes go. */
  cache: VoteCache;
  /** Keeps what is under way: a run that was stopped goes on with the same folder and pays for nothing twice. */
  folder: string;
  /** How often the server is asked whether a batch is done. Default 60,000. */
  pollMs?: number;
  /** OpenAI allows 50,000 requests and 200 MB a batch. Default 50,000 and 50 MB. */
  maxRequests?: number;
  maxBytes?: number;
  /** How often votes that came back without an answer are sent again before the run gives up. Default 5. */
  maxRounds?: number;
  /** What a batch call costs against an ordinary one, for the budget. Default 0.5. */
  priceFactor?: number;
}

export interface BatchReport {
  batches: number;
  votes: number;
  abstained: number;
  /** Answers outside the schema, each asked again. */
  malformed: number;
  /** Requests that came back unanswered, each sent again. */
  unanswered: number;
  /** Lines in result files that cannot be read or answer nothing that was asked; not used. */
  foreign: number;
  input_tokens: number;
  output_tokens: number;
}

/**
 * Casts every ballot that the cache lacks through OpenAI's Batch API, at half the price and within a day. `triage` with
 * the same voters, ballots and cache then finds all votes there and makes no call.
 *
 * The folder remembers each step (planned, uploaded, started, collected). After a stop the batches under way are taken
 * up again, also where the answer to an upload or a start was lost. What expired or failed is sent again.
 *
 * @param candidates gives the candidates anew each time it is called, in the same order
 * @throws `RedefError` `batch-refused`, `batch-cancelled`, `batch-gone`, `batch-incomplete`, `budget-spent`, or of a call
 */
export async function voteByBatch(
  candidates: () => AsyncIterable<Candidate> | Iterable<Candidate>,
  options: BatchOptions,
): Promise<BatchReport> {
  const { signal, release } = withManyListeners(options.signal);
  try {
    return await voteInRounds(candidates, options, { signal, ...(options.onEvent && { onEvent: options.onEvent }) });
  } finally {
    release();
  }
}

async function voteInRounds(
  candidates: () => AsyncIterable<Candidate> | Iterable<Candidate>,
  options: BatchOptions,
  run: RunOptions<TriageEvent>,
): Promise<BatchReport> {
  const { voters, ballots = 3, folder, maxRounds = 5 } = options;
  const clerks = voters.map((voter) => new Clerk(voter, options, run));
  const panel = panelOf(clerks, ballots);
  const report: BatchReport = {
    batches: 0,
    votes: 0,
    abstained: 0,
    malformed: 0,
    unanswered: 0,
    foreign: 0,
    input_tokens: 0,
    output_tokens: 0,
  };
  const settleAll = async (jobs: readonly Job[]) => {
    const open = jobs.filter(({ state }) => state.status !== 'collected');
    const results = await Promise.allSettled(open.map((job) => clerkOf(clerks, job).settle(job)));
    for (const result of results) {
      if (result.status === 'rejected') continue;
      report.batches++;
      for (const name of Object.keys(result.value) as (keyof Collected)[]) report[name] += result.value[name];
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  const jobs = await readJobs(folder);
  const runId = jobs[0]?.name.split('-')[1] ?? randomBytes(4).toString('hex');
  const nextName = () => `redef-${runId}-${String(++last).padStart(4, '0')}`;
  let last = Math.max(0, ...jobs.map(({ name }) => Number(name.split('-')[2])));
  await settleAll(jobs);

  for (let round = 0; ; round++) {
    const malformed = countMalformed(jobs);
    const planned: Job[] = [];
    for (const clerk of clerks) {
      const mine = [...panel.keys()].filter((ballot) => panel[ballot] === clerk);
      planned.push(...(await clerk.plan(candidates(), { ballots: mine, nextName, malformed })));
    }
    if (planned.length === 0) return report;
    if (round === maxRounds) {
      throw new RedefError(`After ${maxRounds} rounds of batches some votes are still without an answer`, {
        code: 'batch-incomplete',
        remedy: 'Run the same command again, or without the Batch API: the votes already cast are kept.',
      });
    }
    jobs.push(...planned);
    await settleAll(planned);
  }
}

/** Looks after the batches of one voter. */
class Clerk {
  readonly #identity: ReturnType<typeof identify>;
  readonly #api: BatchApi;

  constructor(
    private readonly voterOptions: OpenAIVoterOptions,
    private readonly options: BatchOptions,
    private readonly run: RunOptions<TriageEvent>,
  ) {
    this.#identity = identify(voterOptions);
    const { timeoutMs: _ofSingleCalls, ...apiOptions } = voterOptions;
    const { client, hide } = this.#identity;
    this.#api = new BatchApi(client, this.voter.id, { ...apiOptions, hide }, run);
  }

  get voter() {
    return this.#identity.voter;
  }

  plan(
    candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
    plan: Pick<Parameters<typeof planJobs>[1], 'ballots' | 'nextName' | 'malformed'>,
  ): Promise<Job[]> {
    const { cache, folder, evidence, maxRequests = 50_000, maxBytes = 50e6 } = this.options;
    const { voter, limitName } = this.#identity;
    const { maxReasks = 2 } = this.voterOptions;
    const answer = this.voterOptions;
    return planJobs(candidates, {
      voter,
      limitName,
      answer,
      cache,
      folder,
      evidence,
      maxRequests,
      maxBytes,
      maxReasks,
      ...plan,
    });
  }

  /** Takes a job from wherever it stands to its votes. */
  async settle(job: Job): Promise<Collected> {
    const { budget, price } = this.voterOptions;
    const { priceFactor = 0.5, cache } = this.options;
    const isNew = job.state.batch_id === undefined;
    const settleBudget = isNew && price ? budget?.reserve(await this.#mostUsd(job)) : undefined;
    let spent = 0;
    try {
      const batch = await this.#finished(job);
      const collected = await collect(job, batch, {
        api: this.#api,
        cache,
        output: this.voterOptions.output,
        hide: this.#identity.hide,
      });
      if (price) spent = priceFactor * costUsd(price, collected.input_tokens, collected.output_tokens);
      if (batch.status === 'cancelled') {
        throw new RedefError(`The batch ${batch.id} was cancelled`, {
          code: 'batch-cancelled',
          remedy: 'The votes it did cast are kept. Run the same command again to cast the others.',
        });
      }
      return collected;
    } catch (error) {
      const gone = RedefError.isInstance(error) && error.code === 'model-unknown' && job.state.batch_id !== undefined;
      throw gone ? goneFrom(job, error) : error;
    } finally {
      settleBudget?.(spent);
    }
  }

  /** Uploads, starts and waits. */
  async #finished(job: Job): Promise<Batch> {
    const fileId =
      job.state.file_id ?? (await this.#api.upload(join(job.folder, 'requests.jsonl'), `${job.name}.jsonl`));
    if (job.state.file_id === undefined) await saveState(job, { file_id: fileId });
    for (;;) {
      const batch = await this.#ended(job, fileId);
      if (batch.status !== 'failed') return batch;
      // started anew: once other batches are through where too much is queued for this model, else by the next run
      const { batch_id: _failed, ...state } = job.state;
      job.state = state;
      await saveState(job, { status: 'planned' });
      const problems = batch.errors?.data ?? [];
      if (!problems.some(({ code }) => code === 'token_limit_exceeded')) {
        const said = redact(problems.map(({ code, message }) => message ?? code).join('; '), this.#identity.hide);
        throw new RedefError(`${this.voter.id}: the batch was refused: ${said || 'no reason given'}`, {
          code: 'batch-refused',
          remedy: 'Check the model name and that it is served by the Batch API.',
        });
      }
      await this.#wait();
    }
  }

  async #ended(job: Job, fileId: string): Promise<Batch> {
    let batch = job.state.batch_id ? await this.#api.poll(job.state.batch_id) : await this.#api.start(fileId);
    if (!job.state.batch_id) await saveState(job, { status: 'submitted', batch_id: batch.id });
    let shown = '';
    for (;;) {
      const { completed = 0, failed = 0, total = 0 } = batch.request_counts ?? {};
      const event = { batch: batch.id, status: batch.status, completed, failed, total };
      if (JSON.stringify(event) !== shown) this.run.onEvent?.({ type: 'batch', voter: this.voter.id, ...event });
      shown = JSON.stringify(event);
      if (['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) return batch;
      await this.#wait();
      batch = await this.#api.poll(batch.id);
    }
  }

  async #wait(): Promise<void> {
    const { signal } = this.run;
    await sleep(this.options.pollMs ?? 60_000, undefined, signal ? { signal } : {}).catch(() => throwIfAborted(signal));
  }

  /** One token a byte at most, and every answer as long as allowed. */
  async #mostUsd(job: Job): Promise<number> {
    const { price, maxOutputTokens = 500 } = this.voterOptions;
    const { size } = await stat(join(job.folder, 'requests.jsonl'));
    return (this.options.priceFactor ?? 0.5) * costUsd(price!, size, job.state.requests * maxOutputTokens);
  }
}

function clerkOf(clerks: readonly Clerk[], job: Job): Clerk {
  const clerk = clerks.find(({ voter }) => voter.id === job.state.voter);
  if (clerk) return clerk;
  throw new RedefError(`${job.folder} holds a batch of ${job.state.voter}, which is not among the voters`, {
    code: 'batch-of-another-voter',
    remedy: 'Name the same voters as when it was started, or another folder.',
  });
}

/** Servers keep results for a month or so. */
function goneFrom(job: Job, cause: RedefError): RedefError {
  return new RedefError(`The server has no batch ${job.state.batch_id} any more, or not its results`, {
    code: 'batch-gone',
    remedy: `Remove ${job.folder}: what it asked is asked again.`,
    cause,
  });
}

function countMalformed(jobs: readonly Job[]): Map<string, { times: number; problem: string }> {
  const counts = new Map<string, { times: number; problem: string }>();
  for (const [key, problem] of jobs.flatMap(({ state }) => state.malformed ?? [])) {
    counts.set(key, { times: (counts.get(key)?.times ?? 0) + 1, problem });
  }
  return counts;
}
