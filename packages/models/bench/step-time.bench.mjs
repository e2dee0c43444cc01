// A training step (forward, backward, AdamW) here and in PyTorch, in turns, in one run on one machine.
//
//   node bench/step-time.bench.mjs --model roberta-base --batch 8 --length 256 --steps 5
//   node bench/step-time.bench.mjs --model roberta-base --batch 2 --length 64 --steps 99 --learning-rate 1e-5 --fit 1
//
// Models: roberta-base, t5-220m-encoder, small (6 layers of 384), tiny and t5-tiny (2 of 128); --layers takes another
// number of layers. Devices: cpu, official (the CPU by the official binding), cuda, dml, webgpu; PyTorch uses the GPU where
// it has one and the device is no CPU. With --gradients 1 the gradients by every parameter are compared first; with --fit 1
// steps are those of the fit loop: clipped, with warm-up and linear decay, and weight decay of matrices alone. Needs the built
// packages and, for PyTorch's side, Debian's python3-torch and libopenblas0. Wall-clock ratios mean little on a
// machine that does other work: read the CPU ones, with --threads 1.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  adamW,
  clipByGlobalNorm,
  createDriver,
  createOnnxRuntimeDriver,
  crossEntropy,
  Graph,
  gradients,
  linear,
  mean,
  Session,
  Variables,
} from '@redef/autodiff';
import { createRng } from '@redef/core';
import { parseConfig, robertaClassifier, t5Classifier } from '@redef/models';

const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: 'small' },
    batch: { type: 'string', default: '8' },
    length: { type: 'string', default: '128' },
    steps: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
    gradients: { type: 'string', default: '0' },
    fit: { type: 'string', default: '0' },
    'learning-rate': { type: 'string', default: '1e-5' },
    device: { type: 'string', default: 'cpu' },
    layers: { type: 'string' },
    torch: { type: 'string', default: '/usr/bin/python3' },
  },
});
const [batch, length, steps, threads] = ['batch', 'length', 'steps', 'threads'].map((name) => Number(options[name]));
const learningRate = Number(options['learning-rate']);
const isFit = options.fit === '1';
const clipNorm = isFit ? 1 : undefined;

const roberta = { model_type: 'roberta', vocab_size: 50265, max_position_embeddings: 514 };
const configs = {
  'roberta-base': {
    ...roberta,
    hidden_size: 768,
    num_hidden_layers: 12,
    num_attention_heads: 12,
    intermediate_size: 3072,
  },
  small: {
    ...roberta,
    vocab_size: 5000,
    hidden_size: 384,
    num_hidden_layers: 6,
    num_attention_heads: 6,
    intermediate_size: 1536,
  },
  tiny: {
    ...roberta,
    vocab_size: 2000,
    hidden_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 512,
  },
  't5-tiny': { model_type: 't5', vocab_size: 2000, d_model: 128, d_kv: 32, d_ff: 512, num_heads: 4, num_layers: 2 },
  't5-220m-encoder': {
    model_type: 't5',
    vocab_size: 32100,
    d_model: 768,
    d_kv: 64,
    d_ff: 3072,
    num_heads: 12,
    num_layers: 12,
  },
};
const config = parseConfig(configs[options.model]);
if (options.layers) config[config.model_type === 't5' ? 'num_layers' : 'num_hidden_layers'] = Number(options.layers);

// Inputs of unequal lengths, as real ones.
const rng = createRng('bench');
const batches = Array.from({ length: 4 }, () =>
  Array.from({ length: batch }, () => {
    const used = Math.max(2, Math.floor(length * (0.6 + 0.4 * rng.next())));
    return Array.from({ length }, (_, i) => (i < used ? 5 + rng.integer(config.vocab_size - 5) : config.pad_token_id));
  }),
);
const labels = Array.from({ length: batch }, () => rng.integer(2));

const graph = new Graph();
const ids = graph.input('ids', [batch, length], 'int32');
const logits = config.model_type === 't5' ? t5Classifier(ids, config) : robertaClassifier(ids, config);
const loss = crossEntropy(logits, graph.input('labels', [batch], 'int32'));
const derivatives = gradients(loss, graph.parameters);
const matrices = graph.parameters.flatMap(({ name, shape }) => (!isFit || shape.length > 1 ? name : []));
const optimizer = adamW({ weightDecay: 0.01, decays: (name) => matrices.includes(name) });
const isCpu = options.device === 'cpu' || options.device === 'official';
const driver =
  options.device === 'official'
    ? createOnnxRuntimeDriver({ threads })
    : await createDriver(options.device, { threads });
const variables = new Variables(driver);
fillWeights();
const started = performance.now();
const applied = clipNorm ? clipByGlobalNorm(derivatives, clipNorm).gradients : derivatives;
const updates = optimizer.update(graph.parameters, applied);
const session = await Session.create({
  outputs: { loss },
  updates,
  variables,
});
const startUp = performance.now() - started;

const folder = mkdtempSync(join(tmpdir(), 'redef-bench-'));
const weights = openSync(join(folder, 'weights.bin'), 'w');
for (const { name } of graph.parameters) {
  const values = await variables.read(name);
  writeSync(weights, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}
const parameters = graph.parameters.map(({ name, shape }) => [name, shape]);
writeFileSync(
  join(folder, 'job.json'),
  JSON.stringify({ config, parameters, batches, labels, threads, matrices, clipNorm, gpu: !isCpu }),
);

const torch = spawn(options.torch, [fileURLToPath(new URL('./step_time.py', import.meta.url)), folder], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...coreType(), ...process.env },
});
const answers = createInterface({ input: torch.stdout })[Symbol.asyncIterator]();
const ask = async (command) => {
  if (command) torch.stdin.write(`${command}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error('PyTorch ended early');
  return JSON.parse(value);
};
await ask();

console.log(
  `${options.model}, batch ${batch} x ${length}, ${threads} threads, ${driver.id}; ready after ${(startUp / 1000).toFixed(1)} s`,
);
if (options.gradients === '1') await compareGradients();

// A device that keeps the weights only within a run makes all steps in one; the others take turns with PyTorch.
const seconds = { ours: { wall: [], cpu: [] }, torch: { wall: [], cpu: [] } };
let lossDifference = 0;
const losses = [];
let peaks;
const numbers = Array.from({ length: steps + 1 }, (_, index) => index + 1);
const warmUp = Math.floor(numbers.length / 10);
const rateAt = (step) => {
  const done = step - 1;
  if (!isFit) return learningRate;
  return learningRate * (done < warmUp ? done / warmUp : (numbers.length - done) / (numbers.length - warmUp));
};
const feedsOf = (step) => ({ ids: batches[step % 4].flat(), labels, ...optimizer.feeds(step, rateAt(step)) });
for (const group of driver.loopsSteps ? [[1], numbers.slice(1)] : numbers.map((step) => [step])) {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  const results = await session.runSteps(group.map((step) => ({ feeds: feedsOf(step) })));
  const ours = { wall: (performance.now() - wall) / 1000, cpu: cpuSeconds(cpu) };
  for (const [index, step] of group.entries()) {
    const theirs = await ask(`step ${step} ${rateAt(step)}`);
    losses.push(theirs.loss);
    lossDifference = Math.max(lossDifference, Math.abs(results[index].loss[0] - theirs.loss));
    peaks = [process.resourceUsage().maxRSS * 1024, theirs.peak];
    if (step === 1) continue; // warm-up
    for (const kind of ['wall', 'cpu']) {
      seconds.ours[kind].push(ours[kind] / group.length);
      seconds.torch[kind].push(theirs[kind]);
    }
  }
}
torch.stdin.end();
rmSync(folder, { recursive: true });
for (const kind of ['wall', 'cpu']) {
  const [ours, theirs] = [median(seconds.ours[kind]), median(seconds.torch[kind])];
  console.log(
    `${kind} s a step: ours ${ours.toFixed(2)}, PyTorch ${theirs.toFixed(2)}, ratio ${(ours / theirs).toFixed(2)}`,
  );
}
const flops = productFlops(updates.map(({ next }) => next));
const bare = await bareProduct();
for (const kind of ['wall', 'cpu']) {
  const own = flops / median(seconds.ours[kind]);
  console.log(
    `matrix products a ${kind} s: ${(own / 1e9).toFixed(0)} GFLOPS over the step, ${(bare[kind] / 1e9).toFixed(0)} bare through the same runtime: a share of ${((100 * own) / bare[kind]).toFixed(0)}%`,
  );
}
console.log(
  `peak memory: ours ${gigabytes(peaks[0])}, PyTorch ${gigabytes(peaks[1])}, ratio ${(peaks[0] / peaks[1]).toFixed(2)}`,
);
console.log(
  `largest difference of the losses over ${steps + 1} steps: ${lossDifference.toExponential(1)}; they go from ${losses[0].toFixed(4)} to ${losses.at(-1).toFixed(4)}`,
);

/** Random weights of the usual size, by a generator that takes no time. */
function fillWeights() {
  let state = 1;
  for (const parameter of graph.parameters) {
    const values = new Float32Array(parameter.shape.reduce((product, size) => product * size, 1));
    const centre = /norm.*weight$/i.test(parameter.name) ? 1 : 0;
    for (let index = 0; index < values.length; index++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      values[index] = centre + (state / 2 ** 31) * 0.035;
    }
    variables.set(parameter, values);
  }
}

/**
 * By every parameter, against PyTorch in single and in double precision: the largest difference over the largest element.
 * A ReLU input that is as good as 0 falls on either side, as rounding will have it, and takes the gradient with it; so
 * PyTorch's ReLUs are given our sides, and the inputs for which that makes a difference are counted and measured.
 */
async function compareGradients() {
  const outputs = { loss };
  for (const [index, { name }] of graph.parameters.entries()) outputs[`d ${name}`] = derivatives[index];
  const relus = ancestors(loss).filter(({ node }) => node?.type === 'Relu');
  for (const [index, relu] of relus.sort((a, b) => a.node.order - b.node.order).entries())
    outputs[`relu ${index}`] = relu;
  const gradientSession = await Session.create({ outputs, variables });
  const ours = await gradientSession.run({ ids: batches[0].flat(), labels });
  await gradientSession.close();
  const sides = relus.map((_, index) => Uint8Array.from(ours[`relu ${index}`], (value) => (value > 0 ? 1 : 0)));
  writeFileSync(join(folder, 'sides.bin'), Buffer.concat(sides));
  const files = {};
  for (const precision of ['float32', 'float64']) {
    const path = join(folder, `gradients.${precision}`);
    const theirs = await ask(`gradients ${path} ${precision}`);
    console.log(
      `PyTorch in ${precision}: loss differs by ${Math.abs(ours.loss[0] - theirs.loss).toExponential(1)}; ${theirs.flips} of ${theirs.relus} ReLU inputs on another side${theirs.flips ? `, the largest ${theirs.largest.toExponential(1)} of their deviation` : ''}`,
    );
    files[precision] = openSync(path, 'r');
  }
  const rows = [];
  for (const [name, shape] of parameters) {
    const size = shape.reduce((product, length) => product * length, 1);
    const [single, double] = ['float32', 'float64'].map((precision) => {
      const values = new Float64Array(size);
      const bytes = new Uint8Array(values.buffer);
      for (let read = 0; read < bytes.length; ) read += readSync(files[precision], bytes, read, bytes.length - read);
      return values;
    });
    if (name.endsWith('key.bias')) continue; // 0 but for rounding: the softmax does not see it
    const own = ours[`d ${name}`];
    rows.push({
      name,
      'ours and PyTorch, single precision': distance(own, single),
      'ours and double precision': distance(own, double),
      'PyTorch, single and double precision': distance(single, double),
    });
  }
  console.log('gradients, largest difference / largest element of a parameter:');
  for (const column of Object.keys(rows[0]).slice(1)) {
    const sorted = [...rows].sort((a, b) => b[column] - a[column]);
    const within = rows.filter((row) => row[column] <= 1e-5).length;
    console.log(
      `  ${column}: worst ${sorted[0][column].toExponential(1)} (${sorted[0].name}), median ${sorted[rows.length >> 1][column].toExponential(1)}, within 1e-5: ${within} of ${rows.length}`,
    );
  }
}

function distance(values, reference) {
  let [difference, largest] = [0, 0];
  for (let index = 0; index < reference.length; index++) {
    difference = Math.max(difference, Math.abs(values[index] - reference[index]));
    largest = Math.max(largest, Math.abs(reference[index]));
  }
  return difference / largest;
}

/** The tensors and all that they are computed from. */
function ancestors(...tensors) {
  const found = new Set(tensors);
  for (const { node } of found) for (const input of node?.inputs ?? []) found.add(input);
  return [...found];
}

/** Floating-point operations of the matrix products that the tensors are computed by. */
function productFlops(tensors) {
  let operations = 0;
  for (const { node, shape } of ancestors(...tensors)) {
    if (node?.type !== 'Gemm' && node?.type !== 'FusedMatMul') continue;
    if (node.inputs[0].node?.type === 'Where') continue; // attention weights computed anew: no work of the step itself
    const inner = node.inputs[0].shape.at(node.attributes.transA ? -2 : -1);
    operations += 2 * inner * shape.reduce((product, size) => product * size, 1);
  }
  return operations;
}

/** Operations a second of large products of the model's own shape, chained so that nothing but one number is copied out. */
async function bareProduct() {
  const graph = new Graph();
  const [rows, inner, columns] = [
    batch * length,
    config.hidden_size ?? config.d_model,
    config.intermediate_size ?? config.d_ff,
  ];
  const pairs = 6;
  let x = graph.input('x', [rows, inner]);
  for (let pair = 0; pair < pairs; pair++) {
    const weight = (name, shape) =>
      graph.parameter(`${name}${pair}`, shape, () => new Float32Array(shape[0] * shape[1]).fill(1e-3));
    x = linear(linear(x, weight('up', [columns, inner])), weight('down', [inner, columns]));
  }
  const bare = await Session.create({ outputs: { y: mean(x) }, variables: new Variables(driver) });
  const feeds = { x: new Float32Array(rows * inner).fill(0.01) };
  await bare.run(feeds);
  const operations = pairs * 2 * 2 * rows * inner * columns;
  const speeds = { wall: [], cpu: [] };
  for (let run = 0; run < 5; run++) {
    const [wall, cpu] = [performance.now(), process.cpuUsage()];
    await bare.run(feeds);
    speeds.wall.push((1000 * operations) / (performance.now() - wall));
    speeds.cpu.push(operations / cpuSeconds(cpu));
  }
  return { wall: median(speeds.wall), cpu: median(speeds.cpu) };
}

/** OpenBLAS takes some virtual machines for old processors and is then several times slower than it can be. */
function coreType() {
  const flags = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  return / avx512vl /.test(flags) ? { OPENBLAS_CORETYPE: 'SkylakeX' } : {};
}

function cpuSeconds(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
