// Throughput of encode + tokenize against the tokenizer alone on the same text, per encoding and tokenizer.
//
//   pnpm --filter @redef/encoders build && RAYON_NUM_THREADS=1 taskset -c 0 node packages/encoders/bench/throughput.bench.mjs [folder] [lines] [encoding]
//
// `folder` holds tokenizer.json of a RoBERTa-like model; `lines` is the mean length of the generated functions, 100 unless
// given.
//
// "The same text" can be two things, and both ratios are printed:
//   shown  what the encoding emits, laid out and joined beforehand. The strict one: an encoding that shows only the changed
//          lines must still read both functions to find them.
//   both   the function before and the function after, which is what an encoding is given.
//
// The tokenizers, each on both sides of its ratio:
//   js         this package's own in JavaScript, all words remembered
//   native     the package `tokenizers`
//   published  `@huggingface/tokenizers` as it comes, through the interface `Tokenizer`
//
// Times are microseconds of processor time a change, all threads; the best round of some. Every text
// is decoded from bytes within the time, as one read from a file is: a regular expression is slower on a new string than
// on one that it has seen.
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

const definition = JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8'));
const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false };
function published(own, marks) {
  const added = marks.map((content, i) => ({ id: own.size - marks.length + i, content, ...flags }));
  const library = new Tokenizer({ ...definition, added_tokens: [...definition.added_tokens, ...added] }, {});
  return {
    ...own,
    encode: (text) => Int32Array.from(library.encode(text, { add_special_tokens: false }).ids),
    addTokens: (tokens) => published(own.addTokens(tokens), [...marks, ...tokens]),
  };
}
// One after the other, the smallest heap first.
const tokenizers = {
  native: () => loadNativeTokenizer(folder, { preset: 'roberta' }),
  js: () => loadTokenizer(folder, { preset: 'roberta' }),
  published: async () => published(await loadTokenizer(folder, { preset: 'roberta' }), []),
};

const processorTime = async (work, times) => {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / times / changes.length;
};

/**
 * The best round of a tenth of a second at least, in six seconds of nothing else: rounds of several works in turn would
 * free what another one has left, and beside a slow tokenizer it takes seconds until the encoding itself is compiled.
 */
async function bestTime(work) {
  const repeats = Math.ceil(1000 / (await processorTime(work, 1)));
  let best = Infinity;
  const end = process.cpuUsage().user + 6e6;
  for (let round = 0; round < 3 || process.cpuUsage().user < end; round++) {
    best = Math.min(best, await processorTime(work, repeats));
  }
  return best;
}

const tokenizeAll = (tokenizer, bytes) =>
  tokenizer.encodeBatch
    ? tokenizer.encodeBatch(fromBytes(bytes)) // one batch: its threads never wait
    : bytes.map((text) => tokenizer.encode(text.toString()));

console.log(`${changes.length} changes of about ${lines} lines, budget 512; us a change`);
console.log('tokenizer encoding           shown      both  encode+tokenize  of shown  of both');
for (const [kind, load] of Object.entries(tokenizers)) {
  const tokenizer = await load();
  for (const name of only ? [only] : encodingNames) {
    const encoding = createEncoding(name);
    const texts = toBytes(changes.flatMap((change) => renderLayout(encoding.layout(change))));
    const marked = withMarks(tokenizer, encoding.specialTokens);
    const shown = await bestTime(() => tokenizeAll(marked, texts));
    const both = await bestTime(() => tokenizeAll(marked, sides));
    const whole = await bestTime(async () => {
      for await (const _ of encodeChanges(readChanges(), encoding, { tokenizer, maxTokens: 512 }));
    });
    const column = (value, digits, width) => value.toFixed(digits).padStart(width);
    console.log(
      `${kind.padEnd(9)} ${name.padEnd(15)} ${column(shown, 1, 9)} ${column(both, 1, 9)} ${column(whole, 1, 16)} ${column(shown / whole, 2, 9)} ${column(both / whole, 2, 8)}`,
    );
  }
}
