import { RedefError } from '@redef/core';
import OpenAI from 'openai';
import { keyMask } from './key-mask.js';
import { type ModelAddress, serverOf } from './model-address.js';

/**
 * The client of `openai`, which makes the head of a chat completion once: every call of a voter has the same, and making
 * it anew takes longer than all that is done with the answer.
 */
class ChatClient extends OpenAI {
  #head: ReturnType<OpenAI['buildRequest']> | undefined;

  override async buildRequest(...[options, retry]: Parameters<OpenAI['buildRequest']>) {
    if (options.path !== '/chat/completions') return super.buildRequest(options, retry);
    this.#head ??= super.buildRequest({ ...options, body: {}, signal: null }, retry);
    const { req, url, timeout } = await this.#head;
    const { body, signal } = options;
    return { req: { ...req, body: JSON.stringify(body), ...(signal && { signal }) }, url, timeout };
  }
}

export interface Connection extends ModelAddress {
  /** Sent as the bearer token. Not needed for a local server that asks for none. */
  apiKey?: string;
  /** How the voter's id names the server. Default `openai`, or the host and port of `baseURL`. */
  provider?: string;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

/**
 * `hide` takes the key out of a server's words: see {@link keyMask}.
 *
 * @throws `RedefError` `missing-key`, `invalid-key` or `invalid-option`
 */
export function connect({ model, apiKey, baseURL, provider, fetch = globalThis.fetch }: Connection): {
  client: OpenAI;
  provider: string;
  hide: (text: string) => string;
} {
  const server = serverOf({ model, ...(baseURL !== undefined && { baseURL }) });
  const key = apiKey?.trim(); // files and secret stores end in a newline
  if (key && !/^[\x21-\x7e]+$/.test(key)) {
    throw new RedefError(
      'The key holds a character that cannot be sent: white space, a control character or no ASCII',
      {
        code: 'invalid-key',
        remedy: 'Copy the key again, as one word.',
      },
    );
  }
  if (baseURL === undefined && !key) {
    throw new RedefError("OpenAI's API needs a key and none was given", {
      code: 'missing-key',
      remedy: 'Set OPENAI_API_KEY for the command line, or pass apiKey; or name a local server with baseURL.',
    });
  }
  const client = new ChatClient({
    apiKey: key || 'none',
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    maxRetries: 0, // retried here, where all calls share one pace
    // every value that the client would otherwise take from the environment
    organization: null,
    project: null,
    webhookSecret: null,
    adminAPIKey: null,
    logLevel: 'off',
    fetch: refusePages(fetch),
  });
  return {
    client,
    provider: provider ?? server,
    hide: keyMask(key),
  };
}

/** What a call is rejected with where something came that no API sends: a web page, a plain text. */
export class NoApiAnswer extends Error {}

/** A site answers any path with a page and says that all is well: that must not pass for an answer. */
const refusePages =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (...call) => {
    const response = await fetch(...call);
    if (response.ok && /^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body?.cancel();
      throw new NoApiAnswer('the server sent a web page');
    }
    return response;
  };

/** A server's words about a fault, without whatever looks like a key, cut to a line. */
export function redact(text: string, hide: (text: string) => string): string {
  return hide(text)
    .replace(/\b(sk|pk|key)-[\w*-]{6,}/g, '[key]')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
}
