// Throughput of encode + tokenize against the tokenizer alone on the same text, per encoding and tokenizer.
//
//   pnpm --filter @redef/encoders build && RAYON_NUM_THREADS=1 taskset -c 0 node packages/encoders/bench/throughput.bench.mjs [folder] [changes] [encoding] [tokenizer]
//
// `folder` holds tokenizer.json of a RoBERTa-like model. `changes` is a file of changes as `redef mine` writes them, of which
// the first 800 are read, or the mean number of lines of 100 generated functions, 100 unless given. Each figure is measured in processes of its own, as in use: the heap that one leaves behind tells on the next,
// with the native tokenizer by a quarter.
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
const [folder = shared, source = '100', name, kind, work] = process.argv.slice(2);
const changes = Number(source)
  ? [...generateChanges({ count: 100, lines: Number(source) })]
  : readFileSync(source, 'utf8').trim().split('\n').slice(0, 800).map(JSON.parse);
const toBytes = (texts) => texts.map((text) => Buffer.from(text));
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

/** The median round, of a tenth of a second at least, in two seconds after one to warm up. */
async function medianTime(work) {
  const repeats = Math.ceil(1000 / (await processorTime(work, 1)));
  const roundsFor = async (seconds) => {
    const rounds = [];
    const end = process.cpuUsage().user + seconds * 1e6;
    do rounds.push(await processorTime(work, repeats));
    while (process.cpuUsage().user < end);
    return rounds;
  };
  await roundsFor(1);
  return median(await roundsFor(2));
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** In batches as `encodeChanges` makes them: one of all texts would be slower by a twentieth. */
async function tokenizeAll(tokenizer, bytes) {
  if (!tokenizer.encodeBatch) for (const text of bytes) tokenizer.encode(text.toString());
  else
    for (let i = 0; i < bytes.length; i += 64)
      await tokenizer.encodeBatch(bytes.slice(i, i + 64).map((text) => text.toString()));
}

async function measure() {
  const tokenizer = await tokenizers[kind]();
  const encoding = createEncoding(name);
  const texts = toBytes(changes.flatMap((change) => renderLayout(encoding.layout(change))));
  const marked = withMarks(tokenizer, encoding.specialTokens);
  const works = {
    shown: () => tokenizeAll(marked, texts),
    both: () => tokenizeAll(marked, sides),
    whole: async () => {
      for await (const _ of encodeChanges(readChanges(), encoding, { tokenizer, maxTokens: 512 }));
    },
  };
  console.log(await medianTime(works[work]));
}

/** Works in turn, three times, for the machine may do something else for a while: medians, and the lowest and highest ratio. */
function compare(name, kind) {
  const turns = [0, 1, 2].map(() =>
    ['shown', 'both', 'whole'].map((work) =>
      Number(execFileSync(process.execPath, [program, folder, source, name, kind, work])),
    ),
  );
  const [shown, both, whole] = [0, 1, 2].map((work) => median(turns.map((times) => times[work])).toFixed(1));
  const ratios = (work) => {
    const sorted = turns.map((times) => (times[work] / times[2]).toFixed(2)).sort((a, b) => a - b);
    return `${sorted[1]} (${sorted[0]}-${sorted[2]})`;
  };
  const row = [kind.padEnd(9), name.padEnd(14), shown.padStart(7), both.padStart(7), whole.padStart(15)];
  console.log(...row, ratios(0).padStart(17), ratios(1).padStart(20));
}

const program = fileURLToPath(import.meta.url);
if (work) {
  await measure();
} else {
  console.log(`${changes.length} changes, budget 512; us a change`);
  console.log('tokenizer encoding         shown    both encode+tokenize          of shown              of both');
  for (const each of kind ? [kind] : Object.keys(tokenizers)) {
    for (const one of name ? [name] : encodingNames) compare(one, each);
  }
}
