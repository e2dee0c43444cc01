import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. A number is an HTTP status with OpenAI's error body. */
export type Behaviour =
  | 'answer'
  | 'hang'
  | 'hang-in-body'
  | 'cut'
  | 'drop'
  | 'not-json'
  | 'answer-not-json'
  | 'answer-outside-schema'
  | 'answer-too-long'
  | 'refusal'
  | 'content-filter'
  | 'no-choices'
  | { status: number; code?: string; message?: string; headers?: Record<string, string> };

export interface ChatRequest {
  model: string;
  messages: { role: string; content: string }[];
  seed?: number;
  [member: string]: unknown;
}

export interface ChatServer {
  baseURL: string;
  /** Every request body, in order of arrival. */
  requests: ChatRequest[];
  /** Milliseconds since the server's start, one per request. */
  times: number[];
  /** Most requests under way at once. */
  peak: number;
  close(): Promise<void>;
}

export interface ChatServerOptions {
  /** The `index`th request, 0-based. Default: always `answer`. */
  behave?: (request: ChatRequest, index: number) => Behaviour;
  /** Default: a category drawn from a digest of the request, the same for the same request. */
  answer?: (request: ChatRequest) => { category: string; rationale: string; quotes: string[] };
  /** Of every answer. */
  headers?: (index: number) => Record<string, string>;
  latencyMs?: number;
  key?: string;
  /** Keeps no requests, for long runs. */
  forgetful?: boolean;
  port?: number;
}

/** The answer that {@link startChatServer} gives by default: it depends on the words and the seed alone. */
export function digestAnswer({ messages, seed }: ChatRequest) {
  const digest = createHash('sha256')
    .update(JSON.stringify([messages, seed]))
    .digest();
  const category = 'AABBBBBBBC'[digest[0]! % 10]!;
  return { category, rationale: `Digest ${digest.toString('hex', 0, 8)}.`, quotes: [] };
}

/** A local server that speaks chat completions as OpenAI's API does, and misbehaves as told. */
export async function startChatServer(options: ChatServerOptions = {}): Promise<ChatServer> {
  const { behave = () => 'answer' as const, answer = digestAnswer, latencyMs = 0, key } = options;
  const requests: ChatRequest[] = [];
  const times: number[] = [];
  const started = performance.now();
  let underWay = 0;
  let count = 0;
  const state = { peak: 0 };

  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of message) text += chunk;
    if (message.url !== '/v1/chat/completions') return sendError(response, { status: 404, message: 'Unknown URL' });
    if (key && message.headers.authorization !== `Bearer ${key}`) {
      const given = message.headers.authorization?.slice('Bearer '.length);
      return sendError(response, {
        status: 401,
        code: 'invalid_api_key',
        message: `Incorrect API key provided: ${given}. You can find your API key at your account page.`,
      });
    }
    const request = JSON.parse(text) as ChatRequest;
    const index = count++;
    if (!options.forgetful) {
      requests.push(request);
      times.push(performance.now() - started);
    }
    const behaviour = behave(request, index);
    if (behaviour === 'hang') return;
    if (behaviour === 'drop') return void response.destroy();
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    if (typeof behaviour === 'object') return sendError(response, behaviour);

    const body = JSON.stringify(completion(request, behaviour, answer));
    response.writeHead(200, { 'content-type': 'application/json', ...options.headers?.(index) });
    if (behaviour === 'not-json') return void response.end('<html>Bad gateway</html>');
    if (behaviour === 'cut' || behaviour === 'hang-in-body') {
      response.write(body.slice(0, body.length / 2));
      if (behaviour === 'cut') setTimeout(() => response.destroy(), 5);
      return;
    }
    response.end(body);
  };

  const server = createServer((message, response) => {
    state.peak = Math.max(state.peak, ++underWay);
    response.on('close', () => underWay--);
    respond(message, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    times,
    get peak() {
      return state.peak;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function completion(request: ChatRequest, behaviour: string, answer: NonNullable<ChatServerOptions['answer']>) {
  const good = JSON.stringify(answer(request));
  const contents: Record<string, string> = {
    'answer-not-json': `Surely: ${good}`,
    'answer-outside-schema': JSON.stringify({ ...JSON.parse(good), category: 'D' }),
    'answer-too-long': good.slice(0, -10),
  };
  const content = contents[behaviour] ?? good;
  const finish: Record<string, string> = { 'answer-too-long': 'length', 'content-filter': 'content_filter' };
  return {
    id: `chatcmpl-${createHash('sha256').update(good).digest('hex').slice(0, 24)}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: request.model,
    choices:
      behaviour === 'no-choices'
        ? undefined
        : [
            {
              index: 0,
              message: {
                role: 'assistant',
                content: behaviour === 'refusal' || behaviour === 'content-filter' ? null : content,
                refusal: behaviour === 'refusal' ? 'I cannot help with that.' : null,
              },
              logprobs: null,
              finish_reason: finish[behaviour] ?? 'stop',
            },
          ],
    usage: { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 },
  };
}

function sendError(
  response: ServerResponse,
  { status, code, message = `Fault ${status}`, headers }: Exclude<Behaviour, string>,
): void {
  const type = status === 429 ? 'requests' : 'invalid_request_error';
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message, type, param: null, code: code ?? null } }));
}
