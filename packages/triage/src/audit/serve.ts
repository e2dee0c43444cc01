import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RedefError, sha256 } from '@redef/core';
import { lock } from '@redef/core/files';
import * as v from 'valibot';
import { AnswerLog } from './answer-log.js';
import { Desk } from './desk.js';
import { adjudicator, answersPath, readAudit, readReviews } from './folder.js';
import { pageCss, pageHtml, pageScript } from './page.js';

export interface ServeAuditOptions {
  /** Who reviews: a name is a file under `answers/`. */
  reviewers: readonly string[];
  /** Default: any free one. */
  port?: number;
  /** Closes the server. */
  signal?: AbortSignal;
  /** The time that each act is kept with, ISO 8601. Default: none is kept. */
  now?: () => string;
}

export interface AuditServer {
  /** By reviewer, and under `adjudicator`. Each URL holds its own random token: it is the key to that page. */
  urls: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Serves the pages of an audit on 127.0.0.1: one for each reviewer, who sees nobody else's answers, and one where the
 * adjudicator decides what they answered differently. Every act is on the disk before the page shows it.
 *
 * @throws `RedefError` `in-use`, `not-an-audit`, `invalid-reviewer`, `port-in-use`
 */
export async function serveAudit(
  folder: string,
  { reviewers, port = 0, signal, now }: ServeAuditOptions,
): Promise<AuditServer> {
  const audit = await readAudit(folder);
  checkReviewers(reviewers);
  const release = await lock(join(folder, 'audit'));
  const logs = new Map<string, AnswerLog>();
  try {
    // the adjudicator also sees those who reviewed another day
    const earlier = (await readReviews(folder)).reviewers.map(({ name }) => name);
    const everyone = [...new Set([...reviewers, ...earlier])];
    for (const who of [...everyone, adjudicator]) logs.set(who, await AnswerLog.open(answersPath(folder, who)));
    const others = everyone.map((who) => ({ who, log: logs.get(who)! }));
    const desks = new Map(
      [...reviewers, adjudicator].map((who) => [
        randomBytes(24).toString('base64url'),
        new Desk(who, audit, logs.get(who)!, who === adjudicator ? others : undefined, now),
      ]),
    );
    const server = createServer((request, response) => {
      handle(desks, request, response).catch((error: unknown) => sendError(response, error));
    });
    await listen(server, port);
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const closed = { done: undefined as Promise<void> | undefined };
    const close = () => {
      closed.done ??= (async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        for (const log of logs.values()) await log.close();
        await release();
      })();
      return closed.done;
    };
    signal?.addEventListener('abort', () => void close(), { once: true });
    if (signal?.aborted) await close();
    return { urls: Object.fromEntries([...desks].map(([token, { who }]) => [who, `${origin}/${token}/`])), close };
  } catch (error) {
    for (const log of logs.values()) await log.close();
    await release();
    throw error;
  }
}

const posts = {
  answer: v.object({ item: v.string(), question: v.string(), value: v.string() }),
  note: v.object({ item: v.string(), text: v.string() }),
  undo: v.object({}),
};

async function handle(
  desks: ReadonlyMap<string, Desk>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host } = request.headers;
  const port = request.socket.localPort;
  // a page elsewhere that has a name resolve to this machine is turned away
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return send(response, 403, { message: 'Wrong host' });
  const url = new URL(request.url ?? '/', `http://${host}`);
  const [, token = '', path = ''] = /^\/([^/]+)\/([a-z.]*)$/.exec(url.pathname) ?? [];
  const desk = [...desks].find(([known]) => equal(known, token))?.[1];
  if (!desk) return send(response, 404, { message: 'There is no such page' });

  if (request.method === 'GET') {
    const file = files[path];
    if (file) return send(response, 200, file.text, file.type);
    if (path === 'state') return send(response, 200, desk.state);
    if (path === 'item') return send(response, 200, desk.detail(url.searchParams.get('id') ?? ''));
  }
  if (request.method === 'POST' && Object.hasOwn(posts, path)) {
    if (request.headers.origin !== url.origin) return send(response, 403, { message: 'Wrong origin' });
    const body = await readJson(request);
    if (path === 'undo') {
      const item = await desk.undo();
      return send(response, 200, { item: item ?? null, state: desk.state });
    }
    if (path === 'note') {
      const { item, text } = parseBody(posts.note, body);
      await desk.note(item, text);
    } else {
      const { item, question, value } = parseBody(posts.answer, body);
      await desk.answer(item, question, value);
    }
    return send(response, 200, desk.state);
  }
  send(response, 404, { message: 'There is no such page' });
}

const files: Readonly<Record<string, { text: string; type: string }>> = {
  '': { text: pageHtml, type: 'text/html; charset=utf-8' },
  'page.css': { text: pageCss, type: 'text/css; charset=utf-8' },
  'page.js': { text: pageScript, type: 'text/javascript; charset=utf-8' },
};

function send(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const known = RedefError.isInstance(error);
  send(response, known && error.disposition === 'skip' ? 400 : 500, {
    message: known ? `${error.message}. ${error.remedy}` : 'The server failed; the terminal it runs in may say more.',
  });
}

/** A note is the longest thing a page sends. */
const maxBodyBytes = 64 * 1024;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > maxBodyBytes) throw badRequest('too long');
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch (cause) {
    throw badRequest('not JSON', cause);
  }
}

function parseBody<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body);
  if (!result.success) throw badRequest(result.issues[0].message);
  return result.output;
}

function badRequest(problem: string, cause?: unknown): RedefError {
  return new RedefError(`The audit page sent a request that cannot be read: ${problem}`, {
    code: 'audit-refused',
    remedy: 'Load the page again.',
    disposition: 'skip',
    cause,
  });
}

/** In a time that does not tell how much of the token is right. */
const equal = (a: string, b: string) => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));

function checkReviewers(reviewers: readonly string[]): void {
  const problem =
    reviewers.length === 0
      ? 'no reviewer is named'
      : reviewers.includes(adjudicator)
        ? `"${adjudicator}" is the name of the page where differences are decided`
        : new Set(reviewers).size < reviewers.length
          ? 'two reviewers have the same name'
          : undefined;
  if (problem) {
    throw new RedefError(`The audit cannot be served: ${problem}`, {
      code: 'invalid-reviewer',
      remedy: 'Name each reviewer once: --reviewer ada --reviewer grace',
    });
  }
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new RedefError(`The audit page cannot be served on port ${port}: ${cause.code}`, {
          code: 'port-in-use',
          remedy: 'Choose another port, or none to take any that is free.',
          cause,
        }),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}
