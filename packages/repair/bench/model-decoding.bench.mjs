// Decoding with the key-value cache against greedy, against a loop without a cache, and against PyTorch, in turns, in one
// run on one machine, all on the same random weights and for the same number of tokens.
//
//   node packages/repair/bench/model-decoding.bench.mjs --model codet5-small --tokens 128 --width 50 --rounds 3 --threads 1
//
// Models: codet5-small (6 + 6 layers of 512), codet5-base (12 + 12 of 768), tiny (2 + 2 of 128). Needs the built packages
// and, for PyTorch's side, Debian's python3-torch and libopenblas0. Read the CPU times on a machine that does other work.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createOnnxRuntimeDriver, Graph, Session, Variables } from '@redef/autodiff';
import { createRng } from '@redef/core';
import { parseConfig, t5CachedDecoder, t5Seq2Seq } from '@redef/models';
import { beamSearch, greedySearch } from '../dist/index.js';
import { Seq2SeqDecoder } from '../dist/model.js';

const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: 'codet5-small' },
    source: { type: 'string', default: '256' },
    tokens: { type: 'string', default: '128' },
    width: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '1' },
    'without-cache': { type: 'string', default: '1' },
    torch: { type: 'string', default: '/usr/bin/python3' },
  },
});
const [sourceLength, tokens, width, rounds, threads] = ['source', 'tokens', 'width', 'rounds', 'threads'].map((name) =>
  Number(options[name]),
);
const configs = {
  tiny: { vocab_size: 5005, d_model: 128, d_kv: 32, d_ff: 512, num_heads: 4, num_layers: 2 },
  'codet5-small': { vocab_size: 32105, d_model: 512, d_kv: 64, d_ff: 2048, num_heads: 8, num_layers: 6 },
  'codet5-base': { vocab_size: 32105, d_model: 768, d_kv: 64, d_ff: 3072, num_heads: 12, num_layers: 12 },
};
const config = parseConfig({ model_type: 't5', ...configs[options.model] });

const variables = new Variables(createOnnxRuntimeDriver({ threads }));
const names = new Graph();
t5Seq2Seq(names.input('ids', [1, 2], 'int32'), names.input('targetIds', [1, 2], 'int32'), config);
fillWeights();
const rng = createRng('bench');
const source = Int32Array.from({ length: sourceLength }, () => 5 + rng.integer(config.vocab_size - 5));
const limits = { startToken: 0, endToken: 2, maxNewTokens: tokens, minNewTokens: tokens }; // every search runs its whole length
const decoder = await Seq2SeqDecoder.create(t5CachedDecoder(config), variables, { threads });
const ours = {
  encode: () => decoder.encode([source]),
  greedy: async () => (await greedySearch(decoder, await decoder.encode([source]), 1, limits))[0].tokens,
  beam: async () => (await beamSearch(decoder, await decoder.encode([source]), 1, { ...limits, width }))[0][0].tokens,
};
if (options['without-cache'] === '1') ours['without cache'] = await loopWithoutCache();
const torch = await startTorch();

const cpu = {};
const wall = {};
const found = {};
const record = (name, result) => {
  found[name] = result.tokens;
  for (const [times, key] of [
    [cpu, 'cpu'],
    [wall, 'wall'],
  ])
    times[name] = [...(times[name] ?? []), result[key]];
};
for (let round = 0; round <= rounds; round++) {
  for (const [name, run] of Object.entries(ours)) {
    const result = await measure(run);
    if (round > 0) record(name, result); // the first round warms up
  }
  for (const name of ['encode', 'greedy', 'beam']) {
    const result = await torch.ask(name);
    if (round > 0) record(`PyTorch ${name}`, result);
  }
}
torch.end();

console.log(
  `${options.model}, source ${sourceLength}, ${tokens} tokens, width ${width}, ${threads} thread(s), ${rounds} rounds`,
);
for (const [name, times] of Object.entries(cpu)) {
  const range = `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`;
  console.log(`${name}: CPU ${median(times).toFixed(2)} s (${range}), wall ${median(wall[name]).toFixed(2)} s`);
}
const less = (name, encoder) => median(cpu[name]) - median(cpu[encoder]);
const decoding = { greedy: less('greedy', 'encode'), beam: less('beam', 'encode') };
const theirs = { greedy: less('PyTorch greedy', 'PyTorch encode'), beam: less('PyTorch beam', 'PyTorch encode') };
console.log(`same tokens as PyTorch: greedy ${equal('greedy')}, beam ${equal('beam')}`);
console.log(
  `CPU time, the encoder's included: beam ${width} / greedy ${(median(cpu.beam) / median(cpu.greedy)).toFixed(2)}`,
);
console.log(`CPU time of decoding alone: beam ${width} / greedy ${(decoding.beam / decoding.greedy).toFixed(2)}`);
for (const name of ['greedy', 'beam']) {
  const whole = median(cpu[name]) / median(cpu[`PyTorch ${name}`]);
  console.log(
    `ours / PyTorch, ${name}: ${whole.toFixed(2)}; decoding alone ${(decoding[name] / theirs[name]).toFixed(2)}`,
  );
}
if (cpu['without cache']) {
  const loop = median(cpu['without cache']) - tokens * median(cpu.encode);
  console.log(
    `tokens a CPU second, decoding alone: ${(tokens / decoding.greedy).toFixed(0)} with the cache, ${(tokens / loop).toFixed(0)} without: ` +
      `${(loop / decoding.greedy).toFixed(1)} times; same tokens: ${String(found.greedy) === String(found['without cache'])}`,
  );
}
await decoder.close();

/** Encoder and decoder over the whole prefix for each token; lengths are rounded up to a multiple of 16, one graph each. */
async function loopWithoutCache() {
  const sessions = new Map();
  for (let length = 16; length < tokens + 16; length += 16) {
    const graph = new Graph();
    const logits = t5Seq2Seq(
      graph.input('ids', [1, sourceLength], 'int32'),
      graph.input('targetIds', [1, length], 'int32'),
      config,
    );
    sessions.set(length, await Session.create({ outputs: { logits }, variables }));
  }
  return async () => {
    const fed = [limits.startToken];
    while (fed.length <= tokens) {
      const length = Math.ceil(fed.length / 16) * 16;
      const targetIds = new Int32Array(length);
      targetIds.set(fed);
      const { logits } = await sessions.get(length).run({ ids: source, targetIds });
      const row = logits.subarray((fed.length - 1) * config.vocab_size, fed.length * config.vocab_size);
      row[limits.endToken] = -Infinity;
      let best = 0;
      for (let token = 1; token < row.length; token++) if (row[token] > row[best]) best = token;
      fed.push(best);
    }
    return fed.slice(1);
  };
}

async function startTorch() {
  const folder = mkdtempSync(join(tmpdir(), 'redef-bench-'));
  const weights = openSync(join(folder, 'weights.bin'), 'w');
  for (const { name } of names.parameters) {
    const values = await variables.read(name);
    writeSync(weights, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  const parameters = names.parameters.map(({ name, shape }) => [name, shape]);
  writeFileSync(
    join(folder, 'job.json'),
    JSON.stringify({ config, parameters, source: [...source], tokens, width, threads }),
  );
  const child = spawn(options.torch, [fileURLToPath(new URL('./generate_loop.py', import.meta.url)), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...coreType(), ...process.env },
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (command) => {
    if (command) child.stdin.write(`${command}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error('PyTorch ended early');
    return JSON.parse(value);
  };
  await ask();
  rmSync(folder, { recursive: true });
  return { ask, end: () => child.stdin.end() };
}

/**
 * Random weights by a generator that takes no time, of the sizes that T5 starts from: with larger ones attention is all or
 * nothing, and a change in the last digit of a weight changes the tokens. What each layer adds is 64 times larger, or the
 * tied embeddings would repeat the token before for ever.
 */
function fillWeights() {
  const { d_model: width, d_kv: size } = config;
  let state = 1;
  for (const parameter of names.parameters) {
    const { name, shape } = parameter;
    const values = new Float32Array(shape.reduce((product, length) => product * length, 1));
    const inputs = name.endsWith('.q.weight') ? width * size : shape.at(-1);
    const deviation = name === 'shared.weight' ? 3 : 1 / Math.sqrt(inputs);
    const scale = Math.sqrt(3) * deviation * (/\.(o|wo)\.weight$/.test(name) ? 64 : 1);
    for (let index = 0; index < values.length; index++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      values[index] = name.includes('layer_norm') ? 1 : (state / 2 ** 31) * scale;
    }
    variables.set(parameter, values);
  }
}

async function measure(run) {
  const before = process.cpuUsage();
  const started = performance.now();
  const tokens = await run();
  const { user, system } = process.cpuUsage(before);
  return {
    tokens: tokens.length ? [...tokens] : [],
    cpu: (user + system) / 1e6,
    wall: (performance.now() - started) / 1000,
  };
}

function equal(name) {
  return String(found[name]) === String(found[`PyTorch ${name}`]);
}

/** OpenBLAS takes some virtual machines for old processors and is then several times slower than it can be. */
function coreType() {
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  return / avx512vl /.test(flags) ? { OPENBLAS_CORETYPE: 'SkylakeX' } : {};
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
