import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import * as v from 'valibot';
import { type Answer, answerJsonSchema, parseAnswer } from '../answer.js';
import type { Evidence } from '../evidence.js';
import { renderPrompt } from '../prompt.js';

export interface AnswerOptions {
  model: string;
  /** Sampling temperature. Default: the server's own. */
  temperature?: number;
  /** Ballot `i` is sent with `seed + i`, where the server honours it. Default none. */
  seed?: number;
  /** Default 500. */
  maxOutputTokens?: number;
  /**
   * How the form of the answer is asked for. `json-schema`: strict structured output, the default. `json-object` and
   * `text` are for servers without it. The answer is checked against the same schema whichever it was.
   */
  output?: 'json-schema' | 'json-object' | 'text';
  /** Further members of the request body, such as `reasoning_effort`. */
  body?: Readonly<Record<string, unknown>>;
}

/** What shapes an answer besides the model and the words shown: a part of the cache's key. */
export function answerParameters(options: AnswerOptions): Record<string, unknown> {
  const { temperature, seed, maxOutputTokens = 500, output = 'json-schema', body = {} } = options;
  return { temperature, seed, max_output_tokens: maxOutputTokens, output, body };
}

/** The body of one chat completion, the same in a single call and in a batch. */
export function chatRequest(
  evidence: Evidence,
  ballot: number,
  options: AnswerOptions,
  /** OpenAI's newer models know only `max_completion_tokens`, most other servers only `max_tokens`. */
  limitName: 'max_completion_tokens' | 'max_tokens',
): ChatCompletionCreateParamsNonStreaming {
  const { model, temperature, seed, maxOutputTokens = 500, output = 'json-schema', body } = options;
  const { system, user } = renderPrompt(evidence);
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    [limitName]: maxOutputTokens,
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed: seed + ballot }),
    ...responseFormat(output),
    ...body,
  };
}

function responseFormat(
  output: NonNullable<AnswerOptions['output']>,
): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  if (output === 'text') return {};
  if (output === 'json-object') return { response_format: { type: 'json_object' } };
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'vote', strict: true, schema: answerJsonSchema } },
  };
}

const tokens = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);
/** The text of a message, or of its parts where it comes as a list of them: other kinds of parts say nothing here. */
export const contentSchema = v.union([
  v.string(),
  v.pipe(
    v.array(v.looseObject({ type: v.string(), text: v.nullish(v.string()) })),
    v.transform((parts) => parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('')),
  ),
]);
const completionSchema = v.object({
  choices: v.looseTuple([
    v.object({
      finish_reason: v.nullish(v.string()),
      message: v.object({ content: v.nullish(contentSchema), refusal: v.nullish(v.string()) }),
    }),
  ]),
  usage: v.nullish(v.object({ prompt_tokens: tokens, completion_tokens: tokens })),
});
/** As much of a chat completion as is read here. */
export type Completion = v.InferOutput<typeof completionSchema>;

/**
 * `undefined` where a body is no chat completion, as from a server that is not what it claims to be. A text is what the
 * client makes of JSON that is sent under another name.
 */
export function parseCompletion(body: unknown): Completion | undefined {
  if (typeof body === 'string') return parseCompletion(parseJson(body));
  const result = v.safeParse(completionSchema, body);
  return result.success ? result.output : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The tokens charged for, in a vote's names. */
export function usageOf({ usage }: Completion): { input_tokens: number; output_tokens: number } {
  return { input_tokens: usage?.prompt_tokens ?? 0, output_tokens: usage?.completion_tokens ?? 0 };
}

/** What a completion holds: an answer, a reason why there will be none, or a form that another try may get right. */
export type Reading = { answer: Answer } | { abstains: string } | { malformed: string };

/** @param hide takes the key out of what is kept */
export function readCompletion(
  { choices: [choice] }: Completion,
  output: AnswerOptions['output'],
  hide: (text: string) => string,
): Reading {
  const { message, finish_reason } = choice;
  if (message.refusal) return { abstains: `The model refused: ${oneSentence(hide(message.refusal))}` };
  if (finish_reason === 'content_filter') return { abstains: "The provider's content filter withheld the answer." };
  if (finish_reason === 'length') return { malformed: 'the answer ran into the token limit' };
  const text = message.content ?? '';
  const answer = parseAnswer(output === 'text' ? unfence(text) : text);
  if ('problem' in answer) return { malformed: oneSentence(hide(answer.problem)) };
  return { answer: { ...answer, rationale: hide(answer.rationale), quotes: answer.quotes.map(hide) } };
}

const oneSentence = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 300);

/** The inside of a Markdown fence, in which models like to wrap JSON. */
const unfence = (text: string) => /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
