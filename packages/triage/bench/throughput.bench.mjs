// Votes a second against a local server with a fixed latency, beside a bare HTTP client and the ideal, and a rerun from
// the cache. Build first, then: node bench/throughput.bench.mjs [candidates] [concurrency] [latency ms]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEvidence, createOpenAIVoter, openVoteFile, renderPrompt, triage } from '../dist/index.js';

const [count = 10_000, concurrency = 8, latencyMs = 20] = process.argv.slice(2).map(Number);
const ballots = 3;

const server = spawn(process.execPath, [new URL('slow-server.mjs', import.meta.url).pathname, String(latencyMs)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = await once(server.stdout, 'data');
const baseURL = `http://127.0.0.1:${String(port).trim()}/v1`;
const folder = await mkdtemp(join(tmpdir(), 'redef-bench-'));

/** Functions of 20 to 120 lines, one line changed. */
function* candidates() {
  for (let index = 0; index < count; index++) {
    const lines = Array.from(
      { length: 20 + (index % 100) },
      (_, line) => `  step_${line}(state, ${index * 31 + line});`,
    );
    const id = index.toString(16).padStart(40, '0');
    const change = {
      id,
      path: 'src/table.c',
      function_name: 'run',
      message: `Call the other step (${index})`,
      function_before: ['void run(struct state *state)', '{', ...lines, '}'].join('\n'),
      function_after: ['void run(struct state *state)', '{', ...lines.with(9, '  other(state);'), '}'].join('\n'),
    };
    const evidence = {
      id,
      kind: 'revert',
      revert_message: `Revert "${change.message}"\n\nThis reverts commit ${id}.\n\nIt crashes under load.`,
    };
    yield { change, evidence };
  }
}

/** The same bodies through node:http alone, for a tenth of the calls. */
async function bareClient() {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const [{ change, evidence }] = candidates();
  const { system, user } = renderPrompt(buildEvidence(change, evidence));
  const body = JSON.stringify({ model: 'm', messages: [{ content: system }, { content: user }] });
  const calls = Math.ceil((count * ballots) / 10);
  let next = 0;
  const started = performance.now();
  const work = async () => {
    while (next++ < calls) {
      await new Promise((resolve, reject) => {
        const call = request(`${baseURL}/chat/completions`, { method: 'POST', agent }, (response) => {
          response.resume();
          response.on('end', resolve);
        });
        call.on('error', reject);
        call.end(body);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  return calls / ((performance.now() - started) / 1000);
}

async function run() {
  const cache = await openVoteFile(join(folder, 'votes.jsonl'));
  const voter = createOpenAIVoter({ model: 'm', baseURL, provider: 'bench' });
  const memory = [];
  let done = 0;
  const started = performance.now();
  const cpu = process.cpuUsage();
  for await (const _ of triage(candidates(), { voters: [voter], ballots, cache, concurrency })) {
    if (++done % Math.ceil(count / 10) === 0) memory.push(Math.round(process.memoryUsage().rss / 2 ** 20));
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await cache.close();
  return {
    seconds,
    perSecond: (count * ballots) / seconds,
    memory,
    cpuMsPerVote: (user + system) / 1000 / (count * ballots),
  };
}

try {
  const ideal = concurrency / (latencyMs / 1000);
  const bare = await bareClient();
  const first = await run();
  const again = await run();
  const share = (value, of) => `${((100 * value) / of).toFixed(1)}%`;
  console.log(`${count} candidates x ${ballots} ballots, ${concurrency} calls at once, ${latencyMs} ms latency`);
  console.log(`ideal        ${ideal.toFixed(0)} votes/s`);
  console.log(`bare client  ${bare.toFixed(0)} votes/s, ${share(bare, ideal)} of the ideal`);
  console.log(
    `triage       ${first.perSecond.toFixed(0)} votes/s, ${share(first.perSecond, ideal)} of the ideal, ${share(first.perSecond, bare)} of the bare client; ${first.seconds.toFixed(1)} s, ${first.cpuMsPerVote.toFixed(2)} ms of CPU a vote`,
  );
  console.log(`             resident memory at each tenth, MiB: ${first.memory.join(' ')}`);
  console.log(
    `from cache   ${again.seconds.toFixed(1)} s for ${count * ballots} votes, ${again.perSecond.toFixed(0)} votes/s`,
  );
} finally {
  server.kill();
  await rm(folder, { recursive: true });
}
