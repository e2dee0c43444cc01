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
function* candidates(from = 0, to = count) {
  for (let index = from; index < to; index++) {
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

const slices = 10;
const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
const [first] = candidates();
const { system, user } = renderPrompt(buildEvidence(first.change, first.evidence));
const bareBody = JSON.stringify({ model: 'm', messages: [{ content: system }, { content: user }] });

const bareCall = () =>
  new Promise((resolve, reject) => {
    const call = request(`${baseURL}/chat/completions`, { method: 'POST', agent }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    call.on('error', reject);
    call.end(bareBody);
  });

/** Seconds and CPU milliseconds of a task. */
async function measure(task) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await task();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1000, cpuMs: (user + system) / 1000 };
}

/** So many calls through node:http alone. */
async function bareClient(calls) {
  let next = 0;
  const work = async () => {
    while (next++ < calls) await bareCall();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

const voter = createOpenAIVoter({ model: 'm', baseURL, provider: 'bench' });

async function vote(cache, from, to) {
  for await (const _ of triage(candidates(from, to), { voters: [voter], ballots, cache, concurrency }));
}

try {
  // slice by slice in turn, so that whatever else the machine does weighs on both alike
  const cache = await openVoteFile(join(folder, 'votes.jsonl'));
  const total = { votes: 0, seconds: 0, cpuMs: 0, bareCalls: 0, bareSeconds: 0, bareCpuMs: 0 };
  const memory = [];
  for (let slice = 0; slice < slices; slice++) {
    const [from, to] = [slice, slice + 1].map((part) => Math.round((part * count) / slices));
    const calls = Math.ceil(((to - from) * ballots) / 3);
    const alone = await measure(() => bareClient(calls));
    total.bareSeconds += alone.seconds;
    total.bareCpuMs += alone.cpuMs;
    total.bareCalls += calls;
    const { seconds, cpuMs } = await measure(() => vote(cache, from, to));
    total.votes += (to - from) * ballots;
    total.seconds += seconds;
    total.cpuMs += cpuMs;
    memory.push(Math.round(process.memoryUsage().rss / 2 ** 20));
  }
  const again = await measure(() => vote(cache, 0, count));
  await cache.close();

  const ideal = concurrency / (latencyMs / 1000);
  const bare = total.bareCalls / total.bareSeconds;
  const ours = total.votes / total.seconds;
  const share = (value, of) => `${((100 * value) / of).toFixed(1)}%`;
  console.log(`${count} candidates x ${ballots} ballots, ${concurrency} calls at once, ${latencyMs} ms latency`);
  console.log(`ideal        ${ideal.toFixed(0)} votes/s`);
  const cpu = (ms, calls) => `${(ms / calls).toFixed(2)} ms of CPU each`;
  console.log(
    `bare client  ${bare.toFixed(0)} calls/s, ${share(bare, ideal)} of the ideal, ${cpu(total.bareCpuMs, total.bareCalls)}`,
  );
  console.log(
    `triage       ${ours.toFixed(0)} votes/s, ${share(ours, ideal)} of the ideal, ${share(ours, bare)} of the bare client`,
  );
  console.log(`             ${cpu(total.cpuMs, total.votes)}`);
  console.log(`             resident memory after each tenth, MiB: ${memory.join(' ')}`);
  console.log(
    `from cache   ${again.seconds.toFixed(1)} s (${(again.cpuMs / 1000).toFixed(1)} s of CPU) for ${total.votes} votes`,
  );
} finally {
  agent.destroy();
  server.kill();
  await rm(folder, { recursive: true });
}
