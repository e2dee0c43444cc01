import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord, RedefError, type Vote } from '@redef/core';
import { readJsonlLines } from '@redef/core/files';
import type { Batch } from 'openai/resources/batches';
import * as v from 'valibot';
import type { VoteCache } from '../../cache.js';
import type { AnswerOptions } from '../request.js';
import { parseCompletion, readCompletion, usageOf } from '../request.js';
import type { BatchApi } from './api.js';
import { type Job, readPlan, saveState, type VoteHead } from './job.js';

/** A line of a result file, as far as it matters here. */
const lineSchema = v.object({
  custom_id: v.string(),
  response: v.nullish(v.object({ status_code: v.number(), body: v.nullish(v.record(v.string(), v.unknown())) })),
});

export interface Collected {
  votes: number;
  abstained: number;
  malformed: number;
  /** Requests without an answer: expired, cancelled, or failed on the server. */
  unanswered: number;
  /** Lines that cannot be read or answer nothing that was asked. */
  foreign: number;
  input_tokens: number;
  output_tokens: number;
}

/**
 * Takes the votes of a finished batch into the cache. Safe to repeat: a vote that is there stays as it is.
 *
 * @throws `RedefError` `request-refused` once all else is taken, where the server refused requests as such
 */
export async function collect(
  job: Job,
  batch: Batch,
  {
    api,
    cache,
    output,
    hide,
  }: { api: BatchApi; cache: VoteCache; output: AnswerOptions['output']; hide: (text: string) => string },
): Promise<Collected> {
  const heads = new Map<string, VoteHead>();
  for await (const { key, head } of readPlan(job)) heads.set(key, head);
  const counts = { votes: 0, abstained: 0, malformed: 0, unanswered: 0, foreign: 0, input_tokens: 0, output_tokens: 0 };
  const malformed: [string, string][] = [];
  let refusal: string | undefined;

  const take = async (path: string) => {
    for await (const { value } of readJsonlLines(readableText(path), { parse: parseOrNothing }, path)) {
      const parsed = v.safeParse(lineSchema, value);
      const head = parsed.success ? heads.get(parsed.output.custom_id) : undefined;
      if (!parsed.success || !head) {
        counts.foreign++;
        continue;
      }
      const { custom_id: key, response } = parsed.output;
      const outcome = readResponse(response, output, hide);
      if (outcome === 'unanswered') continue;
      if ('refused' in outcome) {
        refusal ??= outcome.refused;
        continue;
      }
      heads.delete(key); // a second answer to one request would be foreign
      counts.input_tokens += outcome.usage.input_tokens;
      counts.output_tokens += outcome.usage.output_tokens;
      if ('malformed' in outcome) {
        counts.malformed++;
        malformed.push([key, outcome.malformed]);
      } else {
        if (outcome.vote.category === null) counts.abstained++;
        else counts.votes++;
        const vote = { ...head, ...outcome.vote, ...outcome.usage };
        await cache.set(key, parseRecord('redef.vote/1', vote, `${path}: ${key}`));
      }
    }
  };

  for (const [fileId, name] of [
    [batch.output_file_id, 'output.jsonl'],
    [batch.error_file_id, 'errors.jsonl'],
  ] as const) {
    if (!fileId) continue;
    const path = join(job.folder, name);
    if (!(await exists(path))) await api.download(fileId, path);
    await take(path);
  }
  counts.unanswered = heads.size;
  await saveState(job, { status: 'collected', malformed });
  if (refusal !== undefined) {
    throw new RedefError(`The batch's requests were refused (${refusal})`, {
      code: 'request-refused',
      remedy: "Check the model's name and parameters and what the key may use, then run the same command again.",
    });
  }
  return counts;
}

/** Bytes that are no text come out as U+FFFD, so that they harm their own line alone. */
async function* readableText(path: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const chunk of createReadStream(path))
    yield Buffer.from(decoder.decode(chunk as Buffer, { stream: true }));
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Outcome =
  | 'unanswered'
  | { refused: string }
  | ({ usage: { input_tokens: number; output_tokens: number } } & (
      | { vote: Pick<Vote, 'category' | 'rationale' | 'quotes'> }
      | { malformed: string }
    ));

function readResponse(
  response: v.InferOutput<typeof lineSchema>['response'],
  output: AnswerOptions['output'],
  hide: (text: string) => string,
): Outcome {
  const body = response?.body;
  if (!response || !body) return 'unanswered';
  const abstention = (rationale: string) => ({ category: null, rationale, quotes: [] });
  if (response.status_code !== 200) {
    const error = v.safeParse(v.object({ error: v.object({ code: v.nullish(v.string()) }) }), body);
    const code = error.success ? error.output.error.code : undefined;
    const usage = { input_tokens: 0, output_tokens: 0 };
    if (code === 'context_length_exceeded')
      return { usage, vote: abstention('The evidence is longer than the model can read.') };
    if (code === 'content_filter')
      return { usage, vote: abstention("The provider's content filter withheld the answer.") };
    const refused = [400, 401, 403, 404, 422].includes(response.status_code);
    return refused ? { refused: `HTTP ${response.status_code}, ${hide(code ?? 'no code')}` } : 'unanswered';
  }
  const completion = parseCompletion(body);
  if (!completion) return 'unanswered';
  const usage = usageOf(completion);
  const reading = readCompletion(completion, output, hide);
  if ('answer' in reading) return { usage, vote: reading.answer };
  if ('abstains' in reading) return { usage, vote: abstention(reading.abstains) };
  return { usage, malformed: reading.malformed };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
