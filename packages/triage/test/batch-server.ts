import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatRequest, digestAnswer } from './chat-server.js';

interface Line {
  custom_id: string;
  body: ChatRequest;
}

interface StoredBatch {
  id: string;
  input_file_id: string;
  status: string;
  lines: Line[];
  output_file_id: string | null;
  error_file_id: string | null;
  request_counts: { total: number; completed: number; failed: number };
  errors: { data: { code: string; message: string }[] } | null;
  polls: number;
}

/** How a batch ends; `index` counts the batches from 0. */
export interface BatchFate {
  status?: 'completed' | 'expired' | 'cancelled' | 'failed';
  /** Of a batch that failed as a whole. */
  error?: { code: string; message: string };
  /** What becomes of a line. Default `answer`. */
  line?: (
    index: number,
    line: Line,
  ) =>
    | 'answer'
    | 'expired'
    | 'server-error'
    | 'refused'
    | 'refusal'
    | 'outside-schema'
    | 'too-long'
    | 'cut'
    | 'no-text';
  /** A line that answers nothing. */
  foreign?: boolean;
}

export interface BatchServer {
  baseURL: string;
  /** Lines of all batches that were started, in order. */
  asked: Line[];
  uploads: number;
  batches: readonly StoredBatch[];
  close(): Promise<void>;
}

export interface BatchServerOptions {
  fate?: (index: number) => BatchFate;
  /** Polls before a batch is done. Default 2. */
  polls?: number;
  /** Drops the answer to the `index`th request of a kind after acting on it: `upload`, `start`, `poll`, `download`. */
  loses?: (kind: string, index: number) => boolean;
  pageSize?: number;
}

/** A local server that speaks OpenAI's Files and Batch API. */
export async function startBatchServer(options: BatchServerOptions = {}): Promise<BatchServer> {
  const { fate = (): BatchFate => ({}), polls = 2, loses = () => false, pageSize = 20 } = options;
  const files: { id: string; filename: string; purpose: string; content: string }[] = [];
  const batches: StoredBatch[] = [];
  const seen: Record<string, number> = {};

  const addFile = (filename: string, purpose: string, content: string) => {
    const file = { id: `file-${String(files.length).padStart(6, '0')}`, filename, purpose, content };
    files.push(file);
    return file.id;
  };

  const finish = (batch: StoredBatch, index: number) => {
    const { status = 'completed', error, line = () => 'answer', foreign } = fate(index);
    batch.status = status;
    if (status === 'failed') {
      batch.errors = { data: [error ?? { code: 'invalid', message: 'Invalid batch' }] };
      return;
    }
    const output: string[] = [];
    const errors: unknown[] = [];
    batch.lines.forEach((entry, position) => {
      const what = line(position, entry);
      const row = {
        id: `batch_req_${position}`,
        custom_id: entry.custom_id,
        response: null as unknown,
        error: null as unknown,
      };
      if (what === 'expired') {
        row.error = { code: 'batch_expired', message: 'This request could not be executed before the window expired.' };
        errors.push(row);
      } else if (what === 'server-error' || what === 'too-long' || what === 'refused') {
        const code = what === 'too-long' ? 'context_length_exceeded' : what === 'refused' ? 'invalid_value' : null;
        row.response = {
          status_code: what === 'server-error' ? 500 : 400,
          request_id: 'r',
          body: { error: { message: 'Fault', type: 'server_error', code } },
        };
        errors.push(row);
      } else {
        const answer = digestAnswer(entry.body);
        const content = JSON.stringify(what === 'outside-schema' ? { ...answer, category: 'Z' } : answer);
        row.response = {
          status_code: 200,
          request_id: 'r',
          body: {
            id: 'chatcmpl-1',
            object: 'chat.completion',
            choices: [
              {
                index: 0,
                finish_reason: 'stop',
                message: {
                  role: 'assistant',
                  content: what === 'refusal' ? null : content,
                  refusal: what === 'refusal' ? 'No.' : null,
                },
              },
            ],
            usage: { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 },
          },
        };
        const line = JSON.stringify(row);
        // \xff begins no character in UTF-8
        output.push(what === 'cut' ? line.slice(0, -20) : what === 'no-text' ? line.replace('Digest', '\xff') : line);
      }
    });
    if (foreign) output.push(output[0]!.replace(/"custom_id":"\w+"/, `"custom_id":"${'f'.repeat(64)}"`));
    output.reverse(); // the order of results is not promised
    const text = (rows: string[]) => rows.map((row) => `${row}\n`).join('');
    const errorText = text(errors.map((row) => JSON.stringify(row)));
    if (output.length > 0) batch.output_file_id = addFile(`${batch.id}_output.jsonl`, 'batch_output', text(output));
    if (errors.length > 0) batch.error_file_id = addFile(`${batch.id}_error.jsonl`, 'batch_output', errorText);
    batch.request_counts = { total: batch.lines.length, completed: output.length, failed: errors.length };
  };

  const show = ({ lines: _lines, polls: _polls, ...batch }: StoredBatch) => ({
    ...batch,
    object: 'batch',
    endpoint: '/v1/chat/completions',
  });

  const page = <T extends { id: string }>(all: readonly T[], url: URL) => {
    const newest = [...all].reverse();
    const after = url.searchParams.get('after');
    const start = after ? newest.findIndex(({ id }) => id === after) + 1 : 0;
    const data = newest.slice(start, start + pageSize);
    return {
      object: 'list',
      data,
      has_more: start + pageSize < newest.length,
      first_id: data[0]?.id,
      last_id: data.at(-1)?.id,
    };
  };

  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    const url = new URL(message.url!, 'http://127.0.0.1');
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const send = (kind: string, value: unknown) => {
      const index = seen[kind] ?? 0;
      seen[kind] = index + 1;
      if (loses(kind, index)) return response.destroy();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(typeof value === 'string' ? Buffer.from(value, 'latin1') : JSON.stringify(value));
    };
    const path = `${message.method} ${url.pathname}`;

    if (path === 'POST /v1/files') {
      const form = await new Response(body, {
        headers: { 'content-type': message.headers['content-type']! },
      }).formData();
      const file = form.get('file') as File;
      const id = addFile(file.name, String(form.get('purpose')), await file.text());
      return send('upload', { id, object: 'file', filename: file.name, purpose: 'batch', bytes: file.size });
    }
    if (path === 'GET /v1/files') {
      const batchFiles = files.filter(({ purpose }) => purpose === url.searchParams.get('purpose'));
      return send(
        'list-files',
        page(
          batchFiles.map(({ id, filename, purpose }) => ({ id, filename, purpose })),
          url,
        ),
      );
    }
    if (path === 'POST /v1/batches') {
      const { input_file_id } = JSON.parse(body.toString()) as { input_file_id: string };
      const content = files.find(({ id }) => id === input_file_id)!.content;
      const lines = content
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      const batch: StoredBatch = {
        id: `batch_${batches.length}`,
        input_file_id,
        status: 'validating',
        lines,
        output_file_id: null,
        error_file_id: null,
        request_counts: { total: lines.length, completed: 0, failed: 0 },
        errors: null,
        polls: 0,
      };
      batches.push(batch);
      return send('start', show(batch));
    }
    if (path === 'GET /v1/batches') return send('list-batches', page(batches.map(show), url));
    const batch = batches.find(({ id }) => path === `GET /v1/batches/${id}`);
    if (batch) {
      batch.polls++;
      if (batch.polls >= polls && ['validating', 'in_progress'].includes(batch.status)) {
        finish(batch, batches.indexOf(batch));
      } else if (batch.status === 'validating') batch.status = 'in_progress';
      return send('poll', show(batch));
    }
    const file = files.find(({ id }) => path === `GET /v1/files/${id}/content`);
    if (file) return send('download', file.content); // in latin1, so that \xff stays that byte
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `Unknown: ${path}`, code: null } }));
  };

  const server = createServer((message, response) => void respond(message, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get asked() {
      return batches.filter(({ status }) => status !== 'failed').flatMap(({ lines }) => lines);
    },
    get uploads() {
      return files.filter(({ purpose }) => purpose === 'batch').length;
    },
    batches,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
