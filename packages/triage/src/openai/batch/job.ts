import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RedefError, type Vote } from '@redef/core';
import { fileError, makeFolder, readJsonlLines, writeFileAtomic } from '@redef/core/files';
import * as v from 'valibot';

// One job is one batch: a folder with requests.jsonl (what is uploaded), plan.jsonl (whose vote each line is), and
// state.json, which is replaced whole at every step, so that a stop anywhere is resumed at that step.

const stateSchema = v.object({
  schema: v.literal('redef.batch-job/1'),
  voter: v.string(),
  requests: v.number(),
  status: v.picklist(['planned', 'submitted', 'collected']),
  file_id: v.optional(v.string()),
  batch_id: v.optional(v.string()),
  /** Requests whose answer did not fit the schema, with the reason; known once collected. */
  malformed: v.optional(v.array(v.tuple([v.string(), v.string()]))),
});
export type JobState = v.InferOutput<typeof stateSchema>;

export interface Job {
  folder: string;
  /** Names the upload; unlike any other job's, also in other runs. */
  name: string;
  state: JobState;
}

/** The members of a vote that are known before it is cast. */
export type VoteHead = Omit<Vote, 'category' | 'rationale' | 'quotes' | 'input_tokens' | 'output_tokens'>;

export interface PlannedVote {
  key: string;
  head: VoteHead;
}

export async function saveState(job: Job, changes: Partial<JobState>): Promise<void> {
  const state = { ...job.state, ...changes };
  await writeFileAtomic(join(job.folder, 'state.json'), `${JSON.stringify(state)}\n`);
  job.state = state;
}

/** The jobs of a folder in the order they were planned. What a stop left half planned is removed. */
export async function readJobs(folder: string): Promise<Job[]> {
  await makeFolder(folder).catch((error) => {
    throw fileError(error, folder);
  });
  const jobs: Job[] = [];
  for (const entry of (await readdir(folder)).sort()) {
    if (entry.endsWith('.partial')) await rm(join(folder, entry), { recursive: true });
    else if (/^redef-[0-9a-f]{8}-\d{4,}$/.test(entry)) jobs.push(await readJob(folder, entry));
  }
  return jobs;
}

async function readJob(parent: string, name: string): Promise<Job> {
  const folder = join(parent, name);
  const path = join(folder, 'state.json');
  try {
    const state = v.parse(stateSchema, JSON.parse(await readFile(path, 'utf8')));
    return { folder, name, state };
  } catch (cause) {
    throw new RedefError(`${path}: not the state of a batch`, {
      code: 'batch-state-damaged',
      remedy: `Remove ${folder}: its requests are made again, and what the server already answered is paid for twice.`,
      cause,
    });
  }
}

export async function* readPlan(job: Job): AsyncGenerator<PlannedVote> {
  for await (const { value } of readJsonlLines(join(job.folder, 'plan.jsonl'))) yield value as PlannedVote;
}

/** Fills a job's folder line by line; it is there whole or not at all. */
export class JobWriter {
  requests = 0;
  bytes = 0;
  #lines: string[] = [];
  #plan: string[] = [];
  #buffered = 0;

  private constructor(
    private readonly parent: string,
    private readonly name: string,
    private readonly voter: string,
  ) {}

  static async start(parent: string, name: string, voter: string): Promise<JobWriter> {
    const writer = new JobWriter(parent, name, voter);
    await makeFolder(writer.#partial);
    return writer;
  }

  get #partial(): string {
    return join(this.parent, `${this.name}.partial`);
  }

  async add(line: string, planned: PlannedVote): Promise<void> {
    this.requests++;
    this.bytes += Buffer.byteLength(line) + 1;
    this.#lines.push(line);
    this.#plan.push(JSON.stringify(planned));
    this.#buffered += line.length;
    if (this.#buffered > 1 << 20) await this.#flush();
  }

  async finish(): Promise<Job> {
    await this.#flush();
    const state: JobState = {
      schema: 'redef.batch-job/1',
      voter: this.voter,
      requests: this.requests,
      status: 'planned',
    };
    await writeFileAtomic(join(this.#partial, 'state.json'), `${JSON.stringify(state)}\n`);
    const folder = join(this.parent, this.name);
    await rename(this.#partial, folder);
    return { folder, name: this.name, state };
  }

  async #flush(): Promise<void> {
    await append(join(this.#partial, 'requests.jsonl'), this.#lines);
    await append(join(this.#partial, 'plan.jsonl'), this.#plan);
    this.#lines = [];
    this.#plan = [];
    this.#buffered = 0;
  }
}

async function append(path: string, lines: readonly string[]): Promise<void> {
  try {
    const file = await open(path, 'a');
    try {
      await file.appendFile(lines.map((line) => `${line}\n`).join(''));
      await file.datasync(); // before the rename that says the folder is whole
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError(error, path);
  }
}
