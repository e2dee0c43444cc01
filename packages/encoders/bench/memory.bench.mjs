// Memory over a million records of each encoding: the heap after each tenth, garbage collected.
//
//   pnpm --filter @redef/encoders build && node --expose-gc packages/encoders/bench/memory.bench.mjs [records] [folder] [encoding]
//
// With a `folder` of tokenizer files the byte-level BPE is used, else the lexical tokenizer.
import {
  createEncoding,
  createLexicalTokenizer,
  EncodingSummarizer,
  encodeChanges,
  encodingNames,
  loadTokenizer,
} from '@redef/encoders';
import { generateChanges } from './changes.mjs';

const [records = '1000000', folder, only] = process.argv.slice(2);
const count = Number(records);
const tokenizer = folder ? await loadTokenizer(folder, { preset: 'roberta' }) : createLexicalTokenizer();
const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1);
console.log(`MiB of heap after each tenth of ${count} records, and resident at the end`);
for (const name of only ? [only] : encodingNames) {
  const summarizer = new EncodingSummarizer();
  const heaps = [];
  let done = 0;
  const changes = generateChanges({ count, lines: 12 });
  for await (const encoded of encodeChanges(changes, createEncoding(name), { tokenizer, maxTokens: 512 })) {
    summarizer.add(encoded);
    if (++done % Math.ceil(count / 10) === 0) {
      globalThis.gc?.();
      heaps.push(mebibytes(process.memoryUsage().heapUsed));
    }
  }
  const { lengths } = summarizer.summary();
  console.log(
    `${name.padEnd(15)} ${heaps.map((heap) => heap.padStart(5)).join('')}  ${mebibytes(process.memoryUsage().rss)}  (${done} records, ${lengths.mean.toFixed(0)} tokens on average)`,
  );
}
