import { type RunOptions, throwIfAborted } from '@redef/core';
import { answerJsonSchema } from './answer.js';
import { costUsd } from './budget.js';
import { voteKey } from './cache.js';
import { type CountTokens, loadTokenCounter } from './count-tokens.js';
import { buildEvidence } from './evidence.js';
import type { PriceTable } from './prices.js';
import { renderPrompt } from './prompt.js';
import { type Candidate, panelOf, type TriageOptions } from './triage.js';
import type { TriageEvent } from './voter.js';

export interface EstimateOptions
  extends Pick<TriageOptions, 'voters' | 'ballots' | 'cache' | 'evidence'>,
    RunOptions<TriageEvent> {
  prices: PriceTable;
  /** The calls will go through the Batch API. */
  batch?: boolean;
  /** What an answer is expected to take. Default 120. */
  outputTokens?: number;
  /** Default {@link loadTokenCounter}. */
  countTokens?: CountTokens;
}

export interface VoterEstimate {
  voter: string;
  /** Calls to be made. */
  calls: number;
  /** Votes that the cache already holds. */
  cached: number;
  input_tokens: number;
  output_tokens: number;
  /** `null` where the price table does not know the model. */
  cost_usd: number | null;
}

/** What a run would ask of the servers, found without asking them. */
export interface TriageEstimate {
  schema: 'redef.triage-estimate/1';
  candidates: number;
  /** Candidates whose evidence is cut to fit. */
  truncated: number;
  calls: number;
  cached: number;
  input_tokens: number;
  output_tokens: number;
  /** `null` where the price of a voter that is to be called is not known. */
  cost_usd: number | null;
  prices_as_of: string;
  prices_source?: string;
  voters: VoterEstimate[];
}

/** Of every request: the frame of the messages and of the answer. */
const frameTokens = 12;

/** Counts the calls, tokens and cost of a run before it is made. No call is made; retries are not foreseen. */
export async function estimateTriage(
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  options: EstimateOptions,
): Promise<TriageEstimate> {
  const { voters, ballots = 3, cache, prices, batch = false, outputTokens = 120, signal } = options;
  const countTokens = options.countTokens ?? (await loadTokenCounter());
  const panel = panelOf(voters, ballots);
  const schemaTokens = countTokens(JSON.stringify(answerJsonSchema));
  const rows = new Map<string, VoterEstimate>(
    voters.map(({ id }) => [id, { voter: id, calls: 0, cached: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 }]),
  );
  const systemTokens = new Map<string, number>();
  const seen = new Set<string>();
  let count = 0;
  let truncated = 0;

  for await (const { change, evidence: history } of candidates) {
    throwIfAborted(signal);
    count++;
    const evidence = buildEvidence(change, history, options.evidence);
    if (evidence.truncated > 0) truncated++;
    let promptTokens: number | undefined;
    for (const [ballot, voter] of panel.entries()) {
      const row = rows.get(voter.id)!;
      const key = voteKey(voter, evidence, ballot);
      if (seen.has(key) || (await cache?.get(key))) {
        row.cached++;
        continue;
      }
      seen.add(key);
      row.calls++;
      if (voter.ruleBased) continue;
      if (promptTokens === undefined) {
        const { system, user } = renderPrompt(evidence);
        const known = systemTokens.get(evidence.rubric.id) ?? countTokens(system);
        systemTokens.set(evidence.rubric.id, known);
        promptTokens = known + countTokens(user) + schemaTokens + frameTokens;
      }
      row.input_tokens += promptTokens;
      row.output_tokens += outputTokens;
    }
  }

  const factor = batch ? prices.batch_factor : 1;
  for (const voter of voters) {
    const row = rows.get(voter.id)!;
    const price = voter.model === undefined ? { input: 0, output: 0 } : prices.models[voter.model];
    row.cost_usd = price ? costUsd(price, row.input_tokens, row.output_tokens) * factor : null;
  }
  const list = [...rows.values()];
  const sum = (of: (row: VoterEstimate) => number) => list.reduce((total, row) => total + of(row), 0);
  const unknown = list.some((row) => row.cost_usd === null && row.calls > 0);
  return {
    schema: 'redef.triage-estimate/1',
    candidates: count,
    truncated,
    calls: sum((row) => row.calls),
    cached: sum((row) => row.cached),
    input_tokens: sum((row) => row.input_tokens),
    output_tokens: sum((row) => row.output_tokens),
    cost_usd: unknown ? null : sum((row) => row.cost_usd ?? 0),
    prices_as_of: prices.as_of,
    ...(prices.source !== undefined && { prices_source: prices.source }),
    voters: list,
  };
}
