// How long a training takes to its first step, and how much memory, by the number of its examples.
//
//   node bench/start-up.bench.mjs --rows 50000
//   node bench/start-up.bench.mjs --rows 500000
//
// Examples are of 16 to 512 tokens, 264 on average, made as they are read; the model is tiny. Needs the built packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createOnnxEngine } from '@redef/training';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '50000' } } });
const rows = Number(values.rows);
const config = {
  model_type: 'roberta',
  vocab_size: 50_265,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  intermediate_size: 8,
  max_position_embeddings: 514,
};

let tokens = 0;
function* examples() {
  for (let row = 0; row < rows; row++) {
    const length = 16 + ((row * 7919) % 497);
    const inputIds = Array.from({ length }, (_, i) => 5 + ((row * 31 + i * 17) % 50_000));
    tokens += length;
    yield { id: `change-${row}`, inputIds, label: row % 4 === 0 ? 1 : 0 };
  }
}

const cpuSeconds = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1e6, 0);
let made = cpuSeconds();
for (const _ of examples());
made = cpuSeconds() - made;
tokens = 0;

const folder = mkdtempSync(join(tmpdir(), 'redef-bench-'));
const stop = new AbortController();
const started = cpuSeconds();
await createOnnxEngine({ model: { config }, batchSize: 8, threads: 1 })
  .fit(
    { folder, train: examples(), validation: [], seed: 1 },
    {
      signal: stop.signal,
      onEvent: () => {
        const seconds = cpuSeconds() - started - made;
        const peak = process.resourceUsage().maxRSS * 1024;
        console.log(
          `${rows} examples, ${(tokens / 1e6).toFixed(0)} million tokens: first step after ${seconds.toFixed(1)} s of CPU time, ${(peak / 1e9).toFixed(2)} GB at most, ${(peak / tokens).toFixed(1)} bytes a token`,
        );
        stop.abort();
      },
    },
  )
  .catch((error) => {
    if (error.code !== 'aborted') throw error;
  });
rmSync(folder, { recursive: true });
