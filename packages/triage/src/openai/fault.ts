import { RedefError } from '@redef/core';
import { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { NoApiAnswer, redact } from './client.js';
import { UnusableResponse } from './http-fetch.js';
import { waitAskedFor } from './rate-limits.js';

/** What to do about a failed call. */
export type Fault =
  | {
      kind: 'retry';
      reason: string;
      /** The server said so itself. */
      retryAfterMs?: number;
      /** The server asks for fewer calls. */
      limited: boolean;
      /** The answer was lost on the way and may have been charged for. */
      charged: boolean;
    }
  | { kind: 'abstain'; reason: string }
  | { kind: 'stop'; error: RedefError };

export interface FaultContext {
  /** The call was given up after its time. */
  timedOut: boolean;
  /** The server has answered an earlier call, so that the address is right. */
  answered: boolean;
  /** It has answered a call of this kind. Default: as `answered`. */
  answeredAlike?: boolean;
  /** Takes the key out of a text. */
  hide: (text: string) => string;
  voter: string;
}

/** Sorts a failed call: worth another try, an answer that cannot be had, or a reason to end the run. */
export function classifyFault(
  error: unknown,
  { timedOut, answered, answeredAlike = answered, hide, voter }: FaultContext,
): Fault {
  if (RedefError.isInstance(error)) return { kind: 'stop', error };
  if (timedOut) return { kind: 'retry', reason: 'no answer in time', limited: false, charged: true };

  const status: number | undefined = error instanceof APIError ? error.status : undefined;
  if (error instanceof APIError && status !== undefined) {
    const said = redact(error.message, hide);
    const code = typeof error.code === 'string' ? redact(error.code, hide) : undefined;
    const { retryAfterMs = 0 } = retryAfter(error.headers);
    if (retryAfterMs > longestWaitMs) return { kind: 'stop', error: tooLong(voter, retryAfterMs) };
    const retry = { kind: 'retry', reason: `HTTP ${status}`, charged: false, ...retryAfter(error.headers) } as const;
    if (status === 429 && code !== 'insufficient_quota') return { ...retry, limited: true };
    if (status === 503) return { ...retry, limited: true };
    if (status === 408 || status === 409 || status >= 500) return { ...retry, limited: false };
    if (status === 413 || (status === 400 && (code === 'context_length_exceeded' || tooLongForModel.test(said)))) {
      return { kind: 'abstain', reason: 'The evidence is longer than the model can read.' };
    }
    if (status === 400 && (code === 'content_filter' || code === 'invalid_prompt')) {
      return { kind: 'abstain', reason: "The provider's content filter withheld the answer." };
    }
    return { kind: 'stop', error: stopFor(status, code, said, voter) };
  }
  // the client's own abort without a time-out can only come from the caller's signal, which is handled before
  if (error instanceof APIUserAbortError) return { kind: 'retry', reason: 'aborted', limited: false, charged: true };
  const odd = causes(error).find((cause) => cause instanceof NoApiAnswer);
  if (odd) {
    if (!answeredAlike) return { kind: 'stop', error: notAnApi(voter, odd.message) };
    return { kind: 'retry', reason: odd.message, limited: false, charged: true };
  }
  if (error instanceof APIConnectionError) {
    const code = causeCode(error);
    const unusable = causes(error).find((cause) => cause instanceof UnusableResponse);
    if (!answered && code !== undefined && lasting.test(code)) return { kind: 'stop', error: unreachable(voter, code) };
    const reason = unusable?.message ?? `the connection failed${code === undefined ? '' : ` (${code})`}`;
    return { kind: 'retry', reason, limited: false, charged: !neverArrived.has(code ?? '') };
  }
  // the body ended early, or is not JSON
  return { kind: 'retry', reason: 'the response was cut off or is not JSON', limited: false, charged: true };
}

/** Nobody listens at the address, or not in the protocol that it names, or under another name's certificate. */
const lasting = /^(ECONNREFUSED|ENOTFOUND|EPROTO|ERR_(SSL|TLS)_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/;

const neverArrived = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** As servers of several makes say it. */
const tooLongForModel = /context (length|window|size)/i;

/** An error and what it was wrapped around: the client and fetch each wrap once. */
function causes(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

/** The system's code. */
function causeCode(error: unknown): string | undefined {
  return causes(error)
    .map((cause) => ('code' in cause ? cause.code : undefined))
    .find((code) => typeof code === 'string');
}

function notAnApi(voter: string, what: string): RedefError {
  return new RedefError(`${voter}: ${what} in place of an answer`, {
    code: 'not-an-api',
    remedy: 'Check the base URL: it ends where /chat/completions follows, most often in /v1.',
  });
}

function unreachable(voter: string, code: string): RedefError {
  return new RedefError(`${voter}: the server cannot be reached (${code})`, {
    code: 'server-unreachable',
    remedy: 'Start the server, or check the base URL; the votes already cast are kept.',
  });
}

function stopFor(status: number, code: string | undefined, said: string, voter: string): RedefError {
  if (status < 400) {
    return new RedefError(`${voter}: the server sends the request on to another address (HTTP ${status})`, {
      code: 'redirected',
      remedy: 'Name that address as the base URL: a redirect is not followed, so that no key goes astray.',
    });
  }
  if (status === 401 || status === 403) {
    return new RedefError(`${voter}: the server refused the key (HTTP ${status}): ${said}`, {
      code: 'key-refused',
      remedy: 'Check the key and what it may use; the votes already cast are kept.',
    });
  }
  if (status === 429) {
    return new RedefError(`${voter}: the account's quota is used up: ${said}`, {
      code: 'quota-spent',
      remedy: 'Add credit and run the same command again: it goes on from the votes already cast.',
    });
  }
  if (status === 404 || status === 405) {
    return new RedefError(`${voter}: the server does not know this model or address: ${said}`, {
      code: 'model-unknown',
      remedy: 'Check the model name and the base URL (most end in /v1).',
    });
  }
  return new RedefError(
    `${voter}: the server refused the request (HTTP ${status}${code ? `, ${code}` : ''}): ${said}`,
    {
      code: 'request-refused',
      remedy: "Check the model's parameters; a server without structured output may need output: 'json-object'.",
    },
  );
}

/** Beyond this a wait is a stop: nobody knows that a run which is silent for an hour is alive. */
const longestWaitMs = 15 * 60_000;

function tooLong(voter: string, ms: number): RedefError {
  return new RedefError(`${voter}: the server asks to come back in ${Math.ceil(ms / 60_000)} minutes`, {
    code: 'rate-limited',
    remedy: 'Run the same command again then: it goes on from the votes already cast.',
  });
}

function retryAfter(headers: Headers | undefined): { retryAfterMs?: number } {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return { retryAfterMs: ms };
  const after = headers?.get('retry-after') ?? '';
  // a date is read against the server's own clock
  const wait = /^\d/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.parse(headers?.get('date') ?? '');
  if (Number.isFinite(wait) && wait >= 0) return { retryAfterMs: wait };
  const asked = headers ? waitAskedFor(headers, 1) : 0;
  return asked > 0 ? { retryAfterMs: asked } : {};
}
