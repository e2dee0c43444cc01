// What a small RoBERTa learns from random weights, with a real tokenizer, and what it costs.
//
//   node bench/learning.bench.mjs --tokenizer ../shared/data/tokenizers/codebert-base --repo PATH [--seeds 3]
//
// 1. 64 real changes of the repository, all distinct, half of them labelled 1 at random, are learnt by heart.
// 2. Generated changes: a guard is added or removed, and with it another line, which way by a draw of its own. The label
//    is the direction of the guard. Then the same test set with reversed tags.
// Needs the built packages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRng } from '@redef/core';
import { createCounterfactual, createEncoding, loadTokenizer } from '@redef/encoders';
import { mineFunctionChanges } from '@redef/mining';
import { metrics } from '@redef/stats';
import { createOnnxEngine } from '@redef/training';

const { values: options } = parseArgs({
  options: {
    tokenizer: { type: 'string' },
    repo: { type: 'string' },
    seeds: { type: 'string', default: '3' },
    train: { type: 'string', default: '1600' },
  },
});
if (!options.tokenizer || !options.repo)
  throw new Error('--tokenizer and --repo are needed: see the head of this file');

const config = {
  model_type: 'roberta',
  vocab_size: 50_265,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 128,
  max_position_embeddings: 258,
};
const tokenizer = await loadTokenizer(options.tokenizer, { preset: 'codebert' });
const budget = { tokenizer, maxTokens: 256 };
const root = mkdtempSync(join(tmpdir(), 'redef-learning-'));

const diffTags = createEncoding('diff-tags');
const encode = (encoder, changes) =>
  changes.map((change) => ({
    id: change.id,
    inputIds: encoder.encode(change, budget, 'test').inputIds,
    label: change.label,
  }));

async function train(name, sets, settings) {
  const used = process.cpuUsage();
  const engine = createOnnxEngine({ model: { config }, threads: 1, ...settings });
  const model = await engine.fit({ folder: join(root, name), ...sets });
  const { user, system } = process.cpuUsage(used);
  const f1Of = async (examples) => {
    const scores = [];
    for await (const { score } of engine.predict(model.folder, examples)) scores.push(score);
    const truth = examples.map(({ label }) => label);
    return metrics(truth, scores, { threshold: model.threshold }).f1.toFixed(3);
  };
  return { model, f1Of, seconds: ((user + system) / 1e6).toFixed(0) };
}

const labels = createRng('labels').shuffle(Array.from({ length: 64 }, (_, i) => i % 2));
const byHeart = [];
const seen = new Set(); // the same text under two labels cannot be learnt
for await (const change of mineFunctionChanges(options.repo)) {
  const [example] = encode(diffTags, [{ ...change, label: labels[byHeart.length] }]);
  if (seen.has(example.inputIds.join())) continue;
  seen.add(example.inputIds.join());
  byHeart.push(example);
  if (byHeart.length === 64) break;
}
const memory = await train(
  'real',
  { train: byHeart, validation: byHeart, seed: 1 },
  { learningRate: 2e-3, epochs: 25 },
);
console.log(
  `${byHeart.length} real changes: F1 ${await memory.f1Of(byHeart)} at epoch ${memory.model.bestEpoch}, ${memory.seconds} s of CPU time`,
);

for (let seed = 1; seed <= Number(options.seeds); seed++) {
  const [training, validation, test] = [Number(options.train), 200, 400].map((count, set) =>
    twoEdits(`${seed}/${set}`, count),
  );
  const sets = { train: encode(diffTags, training), validation: encode(diffTags, validation), seed };
  const { model, f1Of, seconds } = await train(`guards-${seed}`, sets, {
    learningRate: 2e-3,
    batchSize: 16,
    epochs: 8,
  });
  const plain = await f1Of(encode(diffTags, test));
  const reversed = await f1Of(encode(createCounterfactual('reversed-tags', { seed }), test));
  console.log(
    `guards, seed ${seed}: test F1 ${plain}, with reversed tags ${reversed} (epoch ${model.bestEpoch}, ${seconds} s of CPU time)`,
  );
}
rmSync(root, { recursive: true });

/** A guard and another line, each added or removed by a draw of its own; the label is 1 where the guard goes. */
function twoEdits(seed, count) {
  const rng = createRng(`two-edits/${seed}`);
  const syllables = 'ar ben cu dol em fa gri hu im jo kel lu mor na ost pe'.split(' ');
  const name = () => Array.from({ length: 3 }, () => syllables[rng.integer(16)]).join('');
  return Array.from({ length: count }, (_, index) => {
    const [fn, pointer, size, local, callee] = Array.from({ length: 5 }, name);
    const [label, other] = [rng.integer(2), rng.integer(2)];
    const guard = [`\tif (!${pointer})`, '\t\treturn -1;'];
    const line = `\t${callee}(${pointer}, ${size});`;
    const text = (hasGuard, hasLine) =>
      [
        `int ${fn}(char *${pointer}, int ${size})`,
        '{',
        `\tint ${local} = 0;`,
        ...(hasGuard ? guard : []),
        `\t${local} += ${size};`,
        ...(hasLine ? [line] : []),
        `\treturn ${local};`,
        '}',
      ].join('\n');
    return {
      id: `${seed}-${index}`,
      function_before: text(label === 1, other === 1),
      function_after: text(label === 0, other === 0),
      label,
    };
  });
}
