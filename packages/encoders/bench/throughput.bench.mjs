// Throughput of encode + tokenize against the tokenizer alone on the same text, per encoding and tokenizer.
//
//   pnpm --filter @redef/encoders build && RAYON_NUM_THREADS=1 taskset -c 0 node packages/encoders/bench/throughput.bench.mjs [folder] [lines] [encoding]
//
// `folder` holds vocab.json and merges.txt, or tokenizer.json, of a RoBERTa-like model; `lines` is the mean length of the
// generated functions, 100 unless given. Times are microseconds of processor time a change, the best of five interleaved
// rounds. "Shown" is the tokenizer alone on the texts that the encoding made, laid out and joined beforehand: the strict
// measure, since an encoding of the changed lines must still read both functions to find them. "Both" is the tokenizer
// alone on the function before and the function after, which is what goes in. Every text is decoded from bytes within the
// time, as one read from a file is: a regular expression is slower on a new string than on one that it has seen. `js` is this package's tokenizer with all
// words remembered, `native` the package tokenizers, `library` @huggingface/tokenizers as published against `js`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { createEncoding, encodeChanges, encodingNames, loadTokenizer, renderLayout, withMarks } from '@redef/encoders';
import { loadNativeTokenizer } from '@redef/encoders/native';
import { generateChanges } from './changes.mjs';

const shared = fileURLToPath(new URL('../../../../shared/data/tokenizers/codebert-base', import.meta.url));
const [folder = shared, lines = '100', only] = process.argv.slice(2);
const changes = [...generateChanges({ count: 100, lines: Number(lines) })];
const toBytes = (texts) => texts.map((text) => Buffer.from(text));
const fromBytes = (bytes) => bytes.map((buffer) => buffer.toString());
const sides = toBytes(changes.flatMap((change) => [change.function_before, change.function_after]));
function* readChanges() {
  for (const [i, { id }] of changes.entries()) {
    yield { id, function_before: sides[2 * i].toString(), function_after: sides[2 * i + 1].toString() };
  }
}
const js = await loadTokenizer(folder, { preset: 'roberta' });
const native = await loadNativeTokenizer(folder, { preset: 'roberta' });
const library = new Tokenizer(JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8')), {});

/** Processor time, all threads, in us a change: other load on the machine does not count. */
const time = async (work) => {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / changes.length;
};
const drain = async (tokenizer, encoding) => {
  for await (const _ of encodeChanges(readChanges(), encoding, { tokenizer, maxTokens: 512 }));
};

console.log(`${changes.length} changes of about ${lines} lines, budget 512; us a change`);
console.log('encoding        tokenizer     shown      both  encode+tokenize  of shown  of both');
for (const name of only ? [only] : encodingNames) {
  const encoding = createEncoding(name);
  const texts = toBytes(changes.flatMap((change) => renderLayout(encoding.layout(change))));
  const marked = { js: withMarks(js, encoding.specialTokens), native: withMarks(native, encoding.specialTokens) };
  const rows = {
    js: [
      () => texts.map((bytes) => marked.js.encode(bytes.toString())),
      () => sides.map((bytes) => marked.js.encode(bytes.toString())),
      () => drain(js, encoding),
    ],
    native: [
      () => marked.native.encodeBatch(fromBytes(texts)), // one batch: its threads never wait
      () => marked.native.encodeBatch(fromBytes(sides)),
      () => drain(native, encoding),
    ],
    library: [
      () => texts.map((bytes) => library.encode(bytes.toString(), { add_special_tokens: false })),
      () => sides.map((bytes) => library.encode(bytes.toString(), { add_special_tokens: false })),
      () => drain(js, encoding),
    ],
  };
  const best = Object.fromEntries(Object.keys(rows).map((row) => [row, [Infinity, Infinity, Infinity]]));
  for (let round = 0; round < 5; round++) {
    for (const [row, works] of Object.entries(rows)) {
      for (const [i, work] of works.entries()) best[row][i] = Math.min(best[row][i], await time(work));
    }
  }
  for (const [row, [shown, both, whole]] of Object.entries(best)) {
    const column = (value, digits, width) => value.toFixed(digits).padStart(width);
    console.log(
      `${name.padEnd(15)} ${row.padEnd(9)} ${column(shown, 1, 9)} ${column(both, 1, 9)} ${column(whole, 1, 16)} ${column(shown / whole, 2, 9)} ${column(both / whole, 2, 8)}`,
    );
  }
}
