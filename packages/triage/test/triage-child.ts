// Runs a triage over a lasting cache in a process of its own, which the test kills.
import { writeJsonl } from '@redef/core/files';
import { createOpenAIVoter } from '../src/openai/voter.js';
import { triage } from '../src/triage.js';
import { openVoteFile } from '../src/vote-file.js';
import { makeCandidates } from './candidates.js';

const [baseURL, cachePath, out, count, concurrency] = process.argv.slice(2) as [string, string, string, string, string];
const voter = createOpenAIVoter({
  model: 'm',
  baseURL,
  provider: 'local',
  seed: 1,
  backOffMs: { first: 5, longest: 50 },
});
const cache = await openVoteFile(cachePath);
process.stdout.write('ready\n');
await writeJsonl(
  out,
  triage(makeCandidates(Number(count)), { voters: [voter], cache, concurrency: Number(concurrency) }),
);
await cache.close();
