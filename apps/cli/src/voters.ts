import { createRng, RedefError } from '@redef/core';
import {
  type Budget,
  createOpenAIVoter,
  createRuleVoter,
  type OpenAIVoterOptions,
  type PriceTable,
  parseModelAddress,
  type Voter,
} from '@redef/triage';
import { apiKeyFrom } from './api-key.js';
import type { CliContext } from './context.js';

export interface VoterFlags {
  temperature?: number;
  voteSeed?: number;
  maxOutputTokens?: number;
  format?: 'json-schema' | 'json-object' | 'text';
  reasoningEffort?: string;
  timeout?: number;
}

/** One `--voter`: what asks it, and for a model what a batch needs. */
export interface Panelist {
  voter: Voter;
  options?: OpenAIVoterOptions;
}

/**
 * `rules`, a model of OpenAI, or `MODEL@URL` for a compatible server. Keys come from the environment: `OPENAI_API_KEY`
 * goes to OpenAI alone, `REDEF_SERVER_KEY` to the others.
 */
export function createPanelist(
  spec: string,
  flags: VoterFlags,
  { prices, budget }: { prices: PriceTable; budget?: Budget },
  { env, now }: Pick<CliContext, 'env'> & { now: () => number },
): Panelist {
  if (spec === 'rules') return { voter: createRuleVoter() };
  const { model, baseURL } = parseModelAddress(spec);
  const apiKey = apiKeyFrom(env)(baseURL);
  const price = prices.models[model];
  if (budget && !price) {
    throw new RedefError(`There is a budget and no price for ${model}`, {
      code: 'invalid-option',
      remedy: 'Pass a table that has the model with --prices (0 and 0 for a server of your own).',
    });
  }
  const options: OpenAIVoterOptions = {
    model,
    rng: createRng(`${model} ${now()}`), // spreads the waits of several runs; no result depends on it
    ...(apiKey && { apiKey }),
    ...(baseURL !== undefined && { baseURL }),
    ...(price && { price }),
    ...(budget && { budget }),
    ...(flags.temperature !== undefined && { temperature: flags.temperature }),
    ...(flags.voteSeed !== undefined && { seed: flags.voteSeed }),
    ...(flags.maxOutputTokens !== undefined && { maxOutputTokens: flags.maxOutputTokens }),
    ...(flags.format !== undefined && { output: flags.format }),
    ...(flags.reasoningEffort !== undefined && { body: { reasoning_effort: flags.reasoningEffort } }),
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout * 1000 }),
  };
  return { voter: createOpenAIVoter(options), options };
}
