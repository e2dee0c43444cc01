// Votes by batch in a process of its own, which the test kills, and then counts the votes.
import { writeJsonl } from '@redef/core/files';
import { voteByBatch } from '../src/openai/batch/vote-by-batch.js';
import { createOpenAIVoter } from '../src/openai/voter.js';
import { triage } from '../src/triage.js';
import { openVoteFile } from '../src/vote-file.js';
import { makeCandidates } from './candidates.js';

const [baseURL, folder, count] = process.argv.slice(2) as [string, string, string];
const voter = { model: 'm', baseURL, provider: 'local', seed: 1, backOffMs: { first: 1, longest: 5 } };
const candidates = () => makeCandidates(Number(count));
const cache = await openVoteFile(`${folder}/votes.jsonl`);
process.stdout.write('ready\n');
await voteByBatch(candidates, { voters: [voter], cache, folder: `${folder}/batches`, pollMs: 2, maxRequests: 20 });
const nobody = { fetch: () => Promise.reject(new Error('a call was made')), maxRetries: 0 };
await writeJsonl(
  `${folder}/rows.jsonl`,
  triage(candidates(), { voters: [createOpenAIVoter({ ...voter, ...nobody })], cache }),
);
await cache.close();
