import { openAsBlob } from 'node:fs';
import { createRng, RedefError, type RunOptions } from '@redef/core';
import { writeAtomically } from '@redef/core/files';
import type OpenAI from 'openai';
import type { Batch } from 'openai/resources/batches';
import type { TriageEvent } from '../../voter.js';
import { classifyFault } from '../fault.js';
import { maskStrings } from '../key-mask.js';
import { type Patience, persist } from '../persist.js';
import { Watch } from '../watch.js';

export interface BatchApiOptions extends Partial<Pick<Patience, 'rng' | 'maxRetries' | 'backOffMs'>> {
  /** Takes the key out of a text. */
  hide: (text: string) => string;
  /** For an upload or a download too. Default 600,000. */
  timeoutMs?: number;
}

/** The four calls that a batch takes. Each may be repeated without a second batch coming of it. */
export class BatchApi {
  readonly #patience: Patience;
  /** The calls that were answered. */
  readonly #answered = new Set<string>();

  constructor(
    private readonly client: OpenAI,
    voter: string,
    private readonly options: BatchApiOptions,
    private readonly run: RunOptions<TriageEvent>,
  ) {
    const { rng = createRng('back-off'), maxRetries, backOffMs } = options;
    this.#patience = {
      voter,
      rng,
      ...(maxRetries !== undefined && { maxRetries }),
      ...(backOffMs && { backOffMs }),
    };
  }

  /** The id of the uploaded file. An upload whose answer was lost is found by its name. */
  async upload(path: string, name: string): Promise<string> {
    return this.#call('upload', async (signal) => {
      for await (const file of this.client.files.list({ purpose: 'batch', order: 'desc' }, { signal })) {
        if (file.filename === name) return file.id;
      }
      const file = new File([await openAsBlob(path)], name, { type: 'application/jsonl' });
      return (await this.client.files.create({ file, purpose: 'batch' }, { signal })).id;
    });
  }

  /** Starts the batch of an uploaded file. One that was started and whose answer was lost is found by its file. */
  async start(fileId: string): Promise<Batch> {
    return this.#call('start', async (signal) => {
      for await (const batch of this.client.batches.list({ limit: 100 }, { signal })) {
        if (batch.input_file_id === fileId && batch.status !== 'failed') return batch;
      }
      return this.client.batches.create(
        { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' },
        { signal },
      );
    });
  }

  async poll(batchId: string): Promise<Batch> {
    return this.#call('poll', (signal) => this.client.batches.retrieve(batchId, { signal }));
  }

  /** Brings a result file to `path`, whole or not at all, without the key in its strings should the server repeat it. */
  async download(fileId: string, path: string): Promise<void> {
    const { hide } = this.options;
    await this.#call('download', async (signal) => {
      const response = await this.client.files.content(fileId, { signal });
      await writeAtomically(path, async (file) => {
        const { body } = response;
        if (!body) return;
        let rest = '';
        // latin1 keeps every byte as it is
        for await (const chunk of body) {
          const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
          rest = lines.pop()!;
          await file.writeFile(lines.map((line) => `${maskLine(line, hide)}\n`).join(''), 'latin1');
        }
        await file.writeFile(maskLine(rest, hide), 'latin1');
      });
    });
  }

  async #call<T>(kind: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { hide, timeoutMs = 600_000 } = this.options;
    const { voter } = this.#patience;
    const result = await persist(
      async () => {
        const watch = new Watch(this.run.signal, timeoutMs);
        try {
          const value = await task(watch.signal);
          this.#answered.add(kind);
          return { value };
        } catch (error) {
          const { timedOut } = watch;
          const [answered, answeredAlike] = [this.#answered.size > 0, this.#answered.has(kind)];
          return { fault: classifyFault(error, { timedOut, answered, answeredAlike, hide, voter }) };
        } finally {
          watch.stop();
        }
      },
      this.#patience,
      this.run,
    );
    if ('value' in result) return result.value;
    throw new RedefError(`${voter}: ${result.abstains}`, {
      code: 'request-refused',
      remedy: "Check that the server has OpenAI's Batch API.",
    });
  }
}

/** @param line bytes as latin1. One that is no JSON answers nothing: its form need not be kept. */
function maskLine(line: string, hide: (text: string) => string): string {
  if (hide(line) === line) return line;
  try {
    const value: unknown = JSON.parse(Buffer.from(line, 'latin1').toString());
    return Buffer.from(JSON.stringify(maskStrings(value, hide))).toString('latin1');
  } catch {
    return hide(line);
  }
}
