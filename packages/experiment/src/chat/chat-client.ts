import { RedefError, throwIfAborted } from '@redef/core';
import { contentSchema, keyMask, type ModelAddress, serverOf } from '@redef/triage';
import OpenAI, { APIConnectionError, APIError } from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as v from 'valibot';
import type { Answer } from './answer-store.js';

export interface ChatConnection extends ModelAddress {
  /** Not needed for a server that asks for none. */
  apiKey?: string;
  /** A call that has not been answered in this time is made again. Default 120,000. */
  timeoutMs?: number;
  /** How often a call is made again after a failure that may pass; the waits between grow. Default 8. */
  maxRetries?: number;
}

export interface ChatRequest {
  system: string;
  user: string;
  temperature: number;
  maxOutputTokens: number;
  seed?: number;
}

/** Tries of one question before it counts as unanswered. */
const tries = 3;

/**
 * @throws `RedefError` `missing-key`, or `invalid-option` of `serverOf`
 */
export function connectChat({ model, baseURL, apiKey, timeoutMs = 120_000, maxRetries = 8 }: ChatConnection) {
  const server = serverOf({ model, ...(baseURL !== undefined && { baseURL }) });
  const key = apiKey?.trim();
  if (baseURL === undefined && !key) {
    throw new RedefError("OpenAI's API needs a key and none was given", {
      code: 'missing-key',
      remedy: 'Set OPENAI_API_KEY, or name a server of your own with base_url.',
    });
  }
  const client = new OpenAI({
    apiKey: key || 'none',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    timeout: timeoutMs,
    maxRetries,
    organization: null,
    project: null,
    webhookSecret: null,
    adminAPIKey: null,
    logLevel: 'off',
  });
  const limitName = baseURL === undefined ? 'max_completion_tokens' : 'max_tokens';

  async function ask(request: ChatRequest, signal: AbortSignal | undefined): Promise<Answer> {
    const body: ChatCompletionCreateParamsNonStreaming = {
      model,
      messages: [
        { role: 'system', content: request.system },
        { role: 'user', content: request.user },
      ],
      temperature: request.temperature,
      [limitName]: request.maxOutputTokens,
      ...(request.seed !== undefined && { seed: request.seed }),
    };
    let unanswered: 'refused' | 'unreadable' = 'unreadable';
    for (let attempt = 1; attempt <= tries; attempt++) {
      let completion: unknown;
      try {
        completion = await client.chat.completions.create(body, signal ? { signal } : {});
      } catch (error) {
        throwIfAborted(signal);
        if (isTooLong(error)) return { unanswered: 'too-long' };
        if (error instanceof APIError) throw serverError(error, `${server}:${model}`, key);
        continue; // the body was cut off or is not JSON
      }
      const score = readAnswer(completion);
      if (score !== undefined) return { score };
      unanswered = isRefusal(completion) ? 'refused' : 'unreadable';
    }
    return { unanswered };
  }

  return { server, ask };
}

const completionSchema = v.object({
  choices: v.looseTuple([v.object({ message: v.object({ content: contentSchema }) })]),
});

/** `undefined` where no number from 0 to 100, written in full, stands under the name asked for. */
export function readAnswer(completion: unknown): number | undefined {
  const parsed = v.safeParse(completionSchema, completion);
  if (!parsed.success) return undefined;
  const [, percent] =
    /"defect_percent"\s*:\s*"?(\d{1,3}(?:\.\d+)?)(?=["\s%,}]|$)/.exec(parsed.output.choices[0].message.content) ?? [];
  const value = Number(percent);
  return percent !== undefined && value <= 100 ? value / 100 : undefined;
}

const refusalSchema = v.object({
  choices: v.looseTuple([
    v.union([
      v.object({ finish_reason: v.literal('content_filter') }),
      v.object({ message: v.object({ refusal: v.pipe(v.string(), v.nonEmpty()) }) }),
    ]),
  ]),
});

/** As the protocol says it; one in the words of an answer is unreadable. */
function isRefusal(completion: unknown): boolean {
  return v.is(refusalSchema, completion);
}

function isTooLong(error: unknown): boolean {
  return (
    error instanceof APIError &&
    (error.status === 413 ||
      (error.status === 400 &&
        (error.code === 'context_length_exceeded' || /context (length|window|size)/i.test(error.message))))
  );
}

function serverError(error: APIError, voter: string, key: string | undefined): RedefError {
  const said = keyMask(key)(error.message)
    .replace(/\b(sk|pk|key)-[\w*-]{6,}/g, '[key]')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  if (error instanceof APIConnectionError || error.status === 429 || (error.status ?? 0) >= 500) {
    return new RedefError(`${voter}: no answer, however often it was asked: ${said}`, {
      code: 'server-unavailable',
      remedy: 'Run the same command again later: it goes on from the answers it has.',
      disposition: 'retry',
    });
  }
  const refused = error.status === 401 || error.status === 403;
  return new RedefError(`${voter}: ${said}`, {
    code: refused ? 'key-refused' : 'request-refused',
    remedy: refused
      ? 'Check the key and what it may use.'
      : 'Check the name of the model and the base URL (most end in /v1).',
  });
}
