import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { makeChange, revertEvidence } from '../../test/candidates.js';
import { buildEvidence } from '../evidence.js';
import { createOpenAIVoter, type OpenAIVoterOptions } from './voter.js';

const change = makeChange(1);
const evidence = buildEvidence(change, revertEvidence(change));
const content = JSON.stringify({ category: 'A', rationale: 'It crashed.', quotes: [] });
const answer = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] });

let server: Server | undefined;
afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))));

/** Answers each request with bytes as they stand. */
async function serve(respond: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk;
      const [head = '', ...body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body.length === 0 || Buffer.byteLength(body.join('\r\n\r\n')) < length) return;
      text = '';
      respond(socket);
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server!.address() as { port: number }).port}/v1`;
}

const response = (status: string, body: string | Buffer, headers = 'content-type: application/json') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${headers}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ]);

const vote = (baseURL: string, options: Partial<OpenAIVoterOptions> = {}) =>
  createOpenAIVoter({
    model: 'm',
    baseURL,
    maxRetries: 1,
    timeoutMs: 5000,
    backOffMs: { first: 1, longest: 1 },
    ...options,
  }).vote(evidence, 0);

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const oddities: [string, (socket: Socket) => void, string][] = [
  ['no content', (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), 'not JSON'],
  ['a status that is none', (socket) => socket.end(response('999 Odd', answer)), 'HTTP 999'],
  [
    'another protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc'),
    'the connection failed',
  ],
  ['no HTTP', (socket) => socket.end('NOT HTTP\r\n\r\n'), 'connection'],
  ['half a chunk', (socket) => socket.end(`${chunked}ff\r\n{"cho`), 'connection'],
  ['a chunk of no length', (socket) => socket.end(`${chunked}zz\r\n{"cho`), 'connection'],
  [
    'an answer without end',
    (socket) => {
      socket.write(chunked);
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const pour = () => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on('drain', pour);
      pour();
    },
    'has no end',
  ],
  [
    'what is not compressed as it says',
    (socket) => socket.end(response('200 OK', answer, 'content-encoding: gzip')),
    'decompressed',
  ],
  [
    'a small body that decompresses to a huge one',
    (socket) => socket.end(response('200 OK', gzipSync(Buffer.alloc(32 << 20)), 'content-encoding: gzip')),
    'decompressed',
  ],
];

test.each(oddities)('%s is a failed call like any other', async (_, respond, reason) => {
  const failure = await vote(await serve(respond)).catch((error) => error);
  expect(failure).toMatchObject({ code: 'server-unavailable', message: expect.stringContaining(reason) });
});

test('what can be read is read: early hints, a body where none belongs, compression, JSON under another name', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n';
  const readable: ((socket: Socket) => void)[] = [
    (socket) => {
      socket.write(early);
      socket.end(response('200 OK', answer));
    },
    (socket) => socket.end(response('205 Reset Content', answer)),
    (socket) => socket.end(response('200 OK', gzipSync(answer), 'content-encoding: gzip')),
    (socket) => socket.end(response('200 OK', answer, 'content-type: text/plain')),
  ];
  for (const respond of readable) {
    expect(await vote(await serve(respond))).toMatchObject({ category: 'A' });
    server?.close();
  }
});

test('a redirect is not followed: the key goes nowhere but to the address that was named', async () => {
  const asked: string[] = [];
  const elsewhere = createServer((socket) => {
    asked.push('asked');
    socket.destroy();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const { port } = elsewhere.address() as { port: number };
  const baseURL = await serve((socket) =>
    socket.end(response('307 Temporary Redirect', '', `location: http://127.0.0.1:${port}/v1/chat/completions`)),
  );
  await expect(vote(baseURL, { apiKey: 'sk-secret-1234567890' })).rejects.toMatchObject({ code: 'redirected' });
  expect(asked).toEqual([]);
  await new Promise((resolve) => elsewhere.close(resolve));
});

test('a byte order mark before the JSON is passed over', async () => {
  const baseURL = await serve((socket) => socket.end(response('200 OK', Buffer.from(`\ufeff${answer}`))));
  expect(await vote(baseURL)).toMatchObject({ category: 'A' });
});
