// Throughput of encode + tokenize against the tokenizer alone on the same texts, per encoding and tokenizer.
//
//   pnpm --filter @redef/encoders build && RAYON_NUM_THREADS=1 taskset -c 0 node packages/encoders/bench/throughput.bench.mjs [folder] [lines] [encoding]
//
// `folder` holds vocab.json and merges.txt, or tokenizer.json, of a RoBERTa-like model; `lines` is the mean length of the
// generated functions, 100 unless given. "Alone" is the tokenizer on the texts that the encoding made, laid out and joined
// beforehand: neither the diff nor the lines that an encoding leaves out are in it. `library` is @huggingface/tokenizers as published, `js` this package's tokenizer
// made of its parts, which remembers the ids of words and so is some twenty times as fast on the second round, `native` the package tokenizers. Each figure is the best of five interleaved rounds.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { createEncoding, encodeChanges, encodingNames, loadTokenizer, renderLayout, withMarks } from '@redef/encoders';
import { loadNativeTokenizer } from '@redef/encoders/native';
import { generateChanges } from './changes.mjs';

const shared = fileURLToPath(new URL('../../../../shared/data/tokenizers/codebert-base', import.meta.url));
const [folder = shared, lines = '100', only] = process.argv.slice(2);
const changes = [...generateChanges({ count: 100, lines: Number(lines) })];
const js = await loadTokenizer(folder, { preset: 'roberta' });
const native = await loadNativeTokenizer(folder, { preset: 'roberta' });
const library = new Tokenizer(JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8')), {});

/** Processor time, all threads, in ms: other load on the machine does not count. */
const time = async (work) => {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};
const drain = async (tokenizer, encoding) => {
  let tokens = 0;
  for await (const encoded of encodeChanges(changes, encoding, { tokenizer, maxTokens: 512 })) tokens += encoded.tokens;
  return tokens;
};

console.log(
  `${changes.length} changes of about ${lines} lines, budget 512; thousands of tokens a second of processor time`,
);
console.log('encoding        tokenizer   alone  encode+tokenize  ratio');
for (const name of only ? [only] : encodingNames) {
  const encoding = createEncoding(name);
  const texts = changes.flatMap((change) => renderLayout(encoding.layout(change)));
  const marked = { js: withMarks(js, encoding.specialTokens), native: withMarks(native, encoding.specialTokens) };
  const tokens = await drain(js, encoding);
  const best = { library: Infinity, js: Infinity, native: Infinity, withJs: Infinity, withNative: Infinity };
  const keep = (key, ms) => {
    best[key] = Math.min(best[key], ms);
  };
  for (let round = 0; round < 5; round++) {
    keep('library', await time(() => texts.map((text) => library.encode(text, { add_special_tokens: false }))));
    keep('js', await time(() => texts.map((text) => marked.js.encode(text))));
    keep('withJs', await time(() => drain(js, encoding)));
    keep('native', await time(() => marked.native.encodeBatch(texts))); // one batch: its threads never wait
    keep('withNative', await time(() => drain(native, encoding)));
  }
  const row = (tokenizer, alone, whole) =>
    console.log(
      `${name.padEnd(15)} ${tokenizer.padEnd(9)} ${(tokens / alone).toFixed(0).padStart(7)} ${(tokens / whole).toFixed(0).padStart(16)} ${(alone / whole).toFixed(2).padStart(6)}`,
    );
  row('library', best.library, best.withJs);
  row('js', best.js, best.withJs);
  row('native', best.native, best.withNative);
}
