import { parseRecord } from '@redef/core';
import type { VoteCache } from '../../cache.js';
import { voteKey } from '../../cache.js';
import { buildEvidence, type EvidenceOptions } from '../../evidence.js';
import type { Candidate } from '../../triage.js';
import { voteHeader } from '../../voter.js';
import { type AnswerOptions, chatRequest } from '../request.js';
import type { identify } from '../voter.js';
import { type Job, JobWriter } from './job.js';

export interface PlanOptions {
  voter: ReturnType<typeof identify>['voter'];
  limitName: ReturnType<typeof identify>['limitName'];
  answer: AnswerOptions;
  /** The ballots that this voter casts. */
  ballots: readonly number[];
  cache: VoteCache;
  folder: string;
  /** Gives the next job's name. */
  nextName: () => string;
  evidence: Omit<EvidenceOptions, 'rubric'> | undefined;
  maxRequests: number;
  maxBytes: number;
  maxReasks: number;
  /** How often each vote's answer was outside the schema so far, and why. */
  malformed: ReadonlyMap<string, { times: number; problem: string }>;
}

/** Writes a job for the votes that the cache lacks, or several where one batch would be too large. */
export async function planJobs(
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  options: PlanOptions,
): Promise<Job[]> {
  const { voter, cache, malformed, maxReasks } = options;
  const jobs: Job[] = [];
  const planned = new Set<string>();
  let writer: JobWriter | undefined;
  for await (const { change, evidence: history } of candidates) {
    const evidence = buildEvidence(change, history, options.evidence);
    for (const ballot of options.ballots) {
      const key = voteKey(voter, evidence, ballot);
      if (planned.has(key) || (await cache.get(key))) continue;
      const head = voteHeader(voter, evidence, ballot);
      const failed = malformed.get(key);
      if (failed && failed.times > maxReasks) {
        const rationale = `No answer within the schema in ${failed.times} tries: ${failed.problem}.`;
        const abstention = { ...head, category: null, rationale, quotes: [] };
        await cache.set(key, parseRecord('redef.vote/1', abstention, key));
        continue;
      }
      planned.add(key);
      const line = JSON.stringify({
        custom_id: key,
        method: 'POST',
        url: '/v1/chat/completions',
        body: chatRequest(evidence, ballot, options.answer, options.limitName),
      });
      if (writer && (writer.requests >= options.maxRequests || writer.bytes + line.length * 3 > options.maxBytes)) {
        jobs.push(await writer.finish());
        writer = undefined;
      }
      writer ??= await JobWriter.start(options.folder, options.nextName(), voter.id);
      await writer.add(line, { key, head });
    }
  }
  if (writer) jobs.push(await writer.finish());
  return jobs;
}
