// The same fine-tuning on the CPU and on another device: do the losses agree, and how long does a step take?
//
//   node bench/device.bench.mjs --device cuda --model base --batch 8 --length 512 --steps 12
//   node bench/device.bench.mjs --device cuda --precision float16 --model base --batch 8 --length 512 --steps 12
//   VK_DRIVER_FILES=... node bench/device.bench.mjs --device webgpu --model tiny --batch 4 --length 16 --steps 8
//
// Models: tiny (1 layer of 16), small (6 of 384), base (12 of 768, RoBERTa's). Weights are random, without dropout.
// Steps are made in runs of 4, which CUDA and DirectML loop inside the graph; the first run builds the graph and is not
// timed. Needs the built packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createOnnxEngine } from '@redef/training';

const { values: options } = parseArgs({
  options: {
    device: { type: 'string', default: 'cpu' },
    precision: { type: 'string', default: 'float32' },
    model: { type: 'string', default: 'tiny' },
    batch: { type: 'string', default: '8' },
    length: { type: 'string', default: '64' },
    steps: { type: 'string', default: '12' },
  },
});
const [batchSize, length, steps] = ['batch', 'length', 'steps'].map((name) => Number(options[name]));
const [layers, width, vocabulary] = { tiny: [1, 16, 1000], small: [6, 384, 5000], base: [12, 768, 50_265] }[
  options.model
];
const config = {
  model_type: 'roberta',
  vocab_size: vocabulary,
  hidden_size: width,
  num_hidden_layers: layers,
  num_attention_heads: Math.max(2, width / 64),
  intermediate_size: 4 * width,
  max_position_embeddings: 514,
  hidden_dropout_prob: 0,
  attention_probs_dropout_prob: 0,
};
const train = Array.from({ length: batchSize * steps }, (_, i) => ({
  id: `${i}`,
  inputIds: [0, ...Array.from({ length: length - 2 }, (_, j) => 5 + ((i * 7919 + j * 104_729) % (vocabulary - 5))), 2],
  label: i % 2,
}));

const stepsPerRun = 4;

async function fit(device, precision) {
  const folder = mkdtempSync(join(tmpdir(), 'redef-device-'));
  const settings = { batchSize, learningRate: 1e-4, epochs: 1, warmUp: 0, stepsPerRun };
  const engine = createOnnxEngine({ model: { config }, device, precision, ...settings });
  const losses = [];
  let started = 0;
  await engine.fit(
    { folder, train, validation: [], seed: 1 },
    {
      onEvent: ({ loss }) => {
        losses.push(loss);
        if (losses.length === stepsPerRun) started = performance.now();
        if (losses.length === steps) started = (performance.now() - started) / (steps - stepsPerRun);
      },
    },
  );
  rmSync(folder, { recursive: true });
  return { losses, stepMs: started };
}

const cpu = await fit('cpu', 'float32');
const other = options.device === 'cpu' ? cpu : await fit(options.device, options.precision);
const difference = Math.max(...cpu.losses.map((loss, step) => Math.abs(loss - other.losses[step])));
console.log(`${options.model}, batch ${batchSize} x ${length}, ${steps} steps, ${options.precision}`);
console.log(`losses on ${options.device} differ from the CPU's by at most ${difference.toExponential(1)}`);
console.log(
  `a step: ${cpu.stepMs.toFixed(0)} ms on the CPU, ${other.stepMs.toFixed(0)} ms on ${options.device} (${(other.stepMs / cpu.stepMs).toFixed(2)})`,
);
process.exit(0); // a driver of WebGPU may keep threads of its own
