import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const commit = '0123456789abcdef0123456789abcdef01234567';

export interface HubServer {
  url: string;
  /** Of the model `owner/model`. */
  files: Record<string, Buffer>;
  /** The paths that were asked for. */
  requests: string[];
  /** True where it has answered, in its own way. */
  misbehave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<unknown>;
}

/** A local server that speaks the part of the hub's protocol that is needed, and misbehaves on demand. */
export async function startHub(files: Record<string, Buffer>): Promise<HubServer> {
  const server = createServer((request, response) => {
    hub.requests.push(request.url!);
    if (!hub.misbehave?.(request, response)) answer(hub.files, request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const hub: HubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    requests: [],
    misbehave: undefined,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return hub;
}

function answer(files: Record<string, Buffer>, request: IncomingMessage, response: ServerResponse): void {
  const json = (value: unknown) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value));
  const { pathname } = new URL(request.url!, 'http://localhost');
  if (['main', commit].some((revision) => pathname === `/api/models/owner/model/revision/${revision}`)) {
    json({ _id: '1', id: 'owner/model', sha: commit });
  } else if (pathname === `/api/models/owner/model/tree/${commit}`) {
    json(
      Object.entries(files).map(([path, data]) => ({
        type: 'file',
        path,
        size: data.length,
        oid: '0'.repeat(40),
        ...(path.includes('model')
          ? { lfs: { oid: createHash('sha256').update(data).digest('hex'), size: data.length, pointerSize: 134 } }
          : {}),
      })),
    );
  } else if (pathname.startsWith(`/owner/model/resolve/${commit}/`)) {
    const data = files[pathname.split('/').at(-1)!]!;
    const [, first, last] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? [];
    response.setHeader('ETag', '"etag"');
    if (first === undefined) {
      response.end(data);
      return;
    }
    const end = last ? Number(last) + 1 : data.length;
    response.writeHead(206, { 'Content-Range': `bytes ${first}-${end - 1}/${data.length}` });
    response.end(data.subarray(Number(first), end));
  } else {
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"Repository not found"}');
  }
}
