import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';

/** Far beyond any answer: a server that sends more is not answering. */
const maxResponseBytes = 8 << 20;

/** What `fetch` is rejected with where a server answers in a way that no answer can be read from. */
export class UnusableResponse extends Error {}

/**
 * A `fetch` for small JSON calls: the body is a text, the response is read whole before it is given, redirects are not
 * followed. It takes a third of the CPU time of the global `fetch` a call, which is what bounds the votes a second
 * against a quick server.
 */
export function createHttpFetch(): typeof fetch {
  let loaded: ReturnType<typeof loadClient> | undefined;
  const known = new WeakMap<object, Record<string, string>>();
  const plainHeaders = (given: NonNullable<RequestInit['headers']>): Record<string, string> => {
    const plain = known.get(given) ?? { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(given)) };
    known.set(given, plain); // the client gives the same for every call
    return plain;
  };
  return async (input, init = {}) => {
    loaded ??= loadClient();
    const { request, errors, dispatcher } = await loaded;
    const { statusCode, headers, body } = await request(input instanceof Request ? input.url : input, {
      dispatcher,
      method: (init.method ?? 'GET') as 'GET' | 'POST',
      headers: plainHeaders(init.headers ?? {}),
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
    });
    const sent = await body.arrayBuffer().catch((error: unknown) => {
      throw error instanceof errors.ResponseExceededMaxSizeError
        ? new UnusableResponse('the response has no end')
        : error;
    });
    if (statusCode < 200 || statusCode > 599) throw new UnusableResponse(`HTTP ${statusCode}, which is no status`);
    const text = await decompress(Buffer.from(sent), headers['content-encoding']);
    return new BufferedResponse(text, { status: statusCode, headers: flat(headers) });
  };
}

/** Loaded with the first call: whoever votes offline does not pay for it. */
async function loadClient() {
  const { Agent, errors, request } = await import('undici');
  // the caller's signal is the only clock
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: maxResponseBytes });
  return { request, errors, dispatcher };
}

const flat = (headers: Record<string, string | string[] | undefined>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)]);

/**
 * A response that gives its JSON and text straight from the buffer: the streams that the standard one puts around a body
 * take longer than the rest of a small call.
 */
class BufferedResponse extends Response {
  constructor(
    private readonly buffer: Buffer,
    init: ResponseInit,
  ) {
    super(null, init);
  }

  // without a byte order mark, as the standard one has it
  override readonly text = async () => this.buffer.toString().replace(/^\ufeff/, '');
  override readonly json = async (): Promise<unknown> => JSON.parse(await this.text());
}

const decompressors: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(unzip),
  deflate: promisify(unzip),
  br: promisify(brotliDecompress),
};

/** Some servers compress unasked. */
async function decompress(body: Buffer, encoding: string | string[] | undefined): Promise<Buffer> {
  const decoder = decompressors[String(encoding).toLowerCase()];
  if (!decoder || body.length === 0) return body;
  try {
    return await decoder(body, { maxOutputLength: maxResponseBytes });
  } catch {
    throw new UnusableResponse('the response cannot be decompressed');
  }
}
