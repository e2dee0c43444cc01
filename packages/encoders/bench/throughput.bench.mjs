// Throughput of encode + tokenize against the tokenizer alone on the same text, per encoding and tokenizer.
//
//   pnpm --filter @redef/encoders build && RAYON_NUM_THREADS=1 taskset -c 0 node packages/encoders/bench/throughput.bench.mjs [folder] [lines] [encoding tokenizer]
//
// `folder` holds tokenizer.json of a RoBERTa-like model; `lines` is the mean length of the generated functions, 100 unless
// given. Each encoding with each tokenizer has a process of its own, as in use: others leave a heap and compiled code that
// tell on the next.
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
// Times are microseconds of processor time a change, all threads. Every text is decoded from bytes within the time, as one
// read from a file is: a regular expression is slower on a new string than on one that it has seen.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { createEncoding, encodeChanges, encodingNames, loadTokenizer, renderLayout, withMarks } from '@redef/encoders';
import { loadNativeTokenizer } from '@redef/encoders/native';
import { generateChanges } from './changes.mjs';

const shared = fileURLToPath(new URL('../../../../shared/data/tokenizers/codebert-base', import.meta.url));
const [folder = shared, lines = '100', name, kind] = process.argv.slice(2);
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
 * The median round of each work, a round being a tenth of a second at least. Each has five stretches of a second and a
 * half, the first to warm up: rounds in turn would free what another work has left, and in one stretch the machine may do
 * something else. The best round would be luck: the native tokenizer's vary by a fifth.
 */
async function medianTimes(works) {
  const rounds = works.map(() => []);
  for (let stretch = 0; stretch < 5; stretch++) {
    for (const [i, work] of works.entries()) {
      const repeats = Math.ceil(1000 / (await processorTime(work, 1)));
      const end = process.cpuUsage().user + 1.5e6;
      do {
        const time = await processorTime(work, repeats);
        if (stretch > 0) rounds[i].push(time);
      } while (process.cpuUsage().user < end);
    }
  }
  return rounds.map((times) => times.sort((a, b) => a - b)[times.length >> 1]);
}

const tokenizeAll = (tokenizer, bytes) =>
  tokenizer.encodeBatch
    ? tokenizer.encodeBatch(fromBytes(bytes)) // one batch: its threads never wait
    : bytes.map((text) => tokenizer.encode(text.toString()));

async function measure() {
  const tokenizer = await tokenizers[kind]();
  const encoding = createEncoding(name);
  const texts = toBytes(changes.flatMap((change) => renderLayout(encoding.layout(change))));
  const marked = withMarks(tokenizer, encoding.specialTokens);
  const [shown, both, whole] = await medianTimes([
    () => tokenizeAll(marked, texts),
    () => tokenizeAll(marked, sides),
    async () => {
      for await (const _ of encodeChanges(readChanges(), encoding, { tokenizer, maxTokens: 512 }));
    },
  ]);
  const column = (value, digits, width) => value.toFixed(digits).padStart(width);
  console.log(
    `${kind.padEnd(9)} ${name.padEnd(15)} ${column(shown, 1, 9)} ${column(both, 1, 9)} ${column(whole, 1, 16)} ${column(shown / whole, 2, 9)} ${column(both / whole, 2, 8)}`,
  );
}

if (kind) {
  await measure();
} else {
  console.log(`${changes.length} changes of about ${lines} lines, budget 512; us a change`);
  console.log('tokenizer encoding           shown      both  encode+tokenize  of shown  of both');
  const program = fileURLToPath(import.meta.url);
  for (const each of Object.keys(tokenizers)) {
    for (const one of encodingNames)
      execFileSync(process.execPath, [program, folder, lines, one, each], { stdio: 'inherit' });
  }
}
