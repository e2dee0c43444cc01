import { createRng, RedefError, type Rng, type Vote } from '@redef/core';
import type OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { type Budget, costUsd } from '../budget.js';
import type { Evidence } from '../evidence.js';
import type { ModelPrice } from '../prices.js';
import { type TriageEvent, type VoteRun, type Voter, voteHeader } from '../voter.js';
import { AdaptiveGate } from './adaptive-gate.js';
import { type Connection, connect, NoApiAnswer } from './client.js';
import { classifyFault, type Fault } from './fault.js';
import { createHttpFetch } from './http-fetch.js';
import { persist } from './persist.js';
import { waitAskedFor } from './rate-limits.js';
import {
  type AnswerOptions,
  answerParameters,
  type Completion,
  chatRequest,
  parseCompletion,
  readCompletion,
  usageOf,
} from './request.js';
import { Watch } from './watch.js';

export interface OpenAIVoterOptions extends Connection, AnswerOptions {
  /** A call that has not been answered whole in this time is given up and made again. Default 120,000. */
  timeoutMs?: number;
  /** How often one vote's call is made again after a failure that may pass. Default 8. */
  maxRetries?: number;
  /** How often the model is asked again after an answer outside the schema, before the vote is an abstention. Default 2. */
  maxReasks?: number;
  /** First and longest wait between tries; it doubles in between. Default 500 and 60,000. */
  backOffMs?: { first: number; longest: number };
  /** Never more calls at once than this, whatever `triage` allows. Fewer after the server asks for fewer. Default 256. */
  maxConcurrency?: number;
  /** Shared with other voters. Needs `price`. */
  budget?: Budget;
  price?: ModelPrice;
  /** Spreads the waits. Give each process its own seed. */
  rng?: Rng;
}

/**
 * Votes through chat completions, OpenAI's or any server's that speaks them.
 *
 * Whatever may pass (too many requests, a server error, a hang, a cut response) is tried again; what the model will not
 * or cannot answer is an abstention; what will not pass (a refused key, an unknown model, a spent quota or budget) is
 * thrown as a `RedefError` that never holds the key.
 */
export function createOpenAIVoter(options: OpenAIVoterOptions): Voter {
  const { client, voter, limitName, hide } = identify({ ...options, fetch: options.fetch ?? createHttpFetch() });
  if (options.budget && !options.price) {
    throw new RedefError(`There is a budget and no price for ${voter.id}`, {
      code: 'missing-price',
      remedy: 'Add the model to the price table (0 and 0 for a server of your own).',
    });
  }
  const caller = new Caller(client, voter.id, hide, options);
  const { maxReasks = 2, output } = options;

  return {
    ...voter,
    async vote(evidence: Evidence, ballot: number, run: VoteRun = {}): Promise<Vote> {
      const request = chatRequest(evidence, ballot, options, limitName);
      const usage = { input_tokens: 0, output_tokens: 0 };
      const abstain = (rationale: string): Vote => ({
        ...voteHeader(voter, evidence, ballot),
        category: null,
        rationale,
        quotes: [],
        ...usage,
      });
      for (let asked = 1; ; asked++) {
        const outcome = await caller.call(request, run);
        if ('abstains' in outcome) return abstain(outcome.abstains);
        const { input_tokens, output_tokens } = usageOf(outcome);
        usage.input_tokens += input_tokens;
        usage.output_tokens += output_tokens;
        const reading = readCompletion(outcome, output, hide);
        if ('answer' in reading) return { ...voteHeader(voter, evidence, ballot), ...reading.answer, ...usage };
        if ('abstains' in reading) return abstain(reading.abstains);
        if (asked > maxReasks) return abstain(`No answer within the schema in ${asked} tries: ${reading.malformed}.`);
      }
    },
  };
}

/** The same voter whether it is asked one vote at a time or by batch: both fill the same places of a cache. */
export function identify(options: Connection & AnswerOptions) {
  const { client, provider, hide } = connect(options);
  const voter = {
    id: `${provider}:${options.model}`,
    ruleBased: false,
    model: options.model,
    parameters: answerParameters(options),
  } as const;
  const limitName = options.baseURL === undefined ? 'max_completion_tokens' : 'max_tokens';
  return { client, voter, limitName, hide } as const;
}

/** Makes calls through one gate and makes them again as the fault asks. */
class Caller {
  readonly #gate: AdaptiveGate;
  readonly #rng: Rng;
  #answered = false;
  #onEvent: ((event: TriageEvent) => void) | undefined;

  constructor(
    private readonly client: OpenAI,
    private readonly voter: string,
    private readonly hide: (text: string) => string,
    private readonly options: OpenAIVoterOptions,
  ) {
    this.#rng = options.rng ?? createRng('back-off');
    this.#gate = new AdaptiveGate({
      max: options.maxConcurrency ?? 256,
      onLimit: (limit) => this.#onEvent?.({ type: 'concurrency', voter, limit }),
    });
  }

  async call(
    request: ChatCompletionCreateParamsNonStreaming,
    { signal, closing = signal, onEvent }: VoteRun,
  ): Promise<Completion | { abstains: string }> {
    this.#onEvent = onEvent;
    const { maxRetries, backOffMs } = this.options;
    const result = await persist(
      () => this.#try(request, signal, closing),
      {
        voter: this.voter,
        rng: this.#rng,
        ...(maxRetries !== undefined && { maxRetries }),
        ...(backOffMs && { backOffMs }),
        onFault: (fault) => {
          if (fault.kind === 'retry' && fault.limited) this.#gate.pause(fault.retryAfterMs ?? 0);
        },
      },
      { ...(closing && { signal: closing }), ...(onEvent && { onEvent }) },
    );
    return 'value' in result ? result.value : result;
  }

  async #try(
    request: ChatCompletionCreateParamsNonStreaming,
    signal: AbortSignal | undefined,
    closing: AbortSignal | undefined,
  ): Promise<{ value: Completion } | { fault: Fault }> {
    const ticket = await this.#gate.enter(closing);
    let outcome: 'answered' | 'limited' | 'failed' = 'failed';
    const watch = new Watch(signal, this.options.timeoutMs ?? 120_000);
    const most = this.#mostUsd(request);
    let spent = 0;
    let settle: ((usd: number) => void) | undefined;
    try {
      settle = this.options.budget?.reserve(most);
      const { data, response } = await this.client.chat.completions
        .create(request, { signal: watch.signal })
        .withResponse();
      const completion = parseCompletion(data);
      if (!completion) {
        throw typeof data === 'string' ? new NoApiAnswer('the server sent no JSON') : new SyntaxError('no completion');
      }
      outcome = 'answered';
      this.#answered = true;
      spent = this.#cost(completion, most);
      const { input_tokens, output_tokens } = usageOf(completion);
      this.#gate.pause(waitAskedFor(response.headers, input_tokens + output_tokens));
      return { value: completion };
    } catch (error) {
      const fault = classifyFault(error, {
        timedOut: watch.timedOut,
        answered: this.#answered,
        hide: this.hide,
        voter: this.voter,
      });
      if (fault.kind === 'retry' && fault.limited) outcome = 'limited';
      if (fault.kind === 'retry' && fault.charged) spent = most;
      return { fault };
    } finally {
      watch.stop();
      settle?.(spent);
      this.#gate.leave(ticket, outcome);
    }
  }

  /** A byte-level tokenizer makes at most one token of a byte, so this bound holds for every model. */
  #mostUsd(request: ChatCompletionCreateParamsNonStreaming): number {
    const { price, maxOutputTokens = 500 } = this.options;
    return price ? costUsd(price, Buffer.byteLength(JSON.stringify(request)), maxOutputTokens) : 0;
  }

  #cost(completion: Completion, most: number): number {
    const { price } = this.options;
    if (!price) return 0;
    const { input_tokens, output_tokens } = usageOf(completion);
    return completion.usage ? costUsd(price, input_tokens, output_tokens) : most;
  }
}
