// Memory over a million records: the heap after each tenth, garbage collected.
//
//   pnpm --filter @redef/encoders build && node --expose-gc packages/encoders/bench/memory.bench.mjs [records] [folder]
//
// With a `folder` of tokenizer files the byte-level BPE is used, else the lexical tokenizer.
import {
  createEncoding,
  createLexicalTokenizer,
  EncodingSummarizer,
  encodeChanges,
  loadTokenizer,
} from '@redef/encoders';
import { generateChanges } from './changes.mjs';

const [records = '1000000', folder] = process.argv.slice(2);
const count = Number(records);
const tokenizer = folder ? await loadTokenizer(folder, { preset: 'roberta' }) : createLexicalTokenizer();
const summarizer = new EncodingSummarizer();
let done = 0;
for await (const encoded of encodeChanges(generateChanges({ count, lines: 12 }), createEncoding('diff-tags'), {
  tokenizer,
  maxTokens: 512,
})) {
  summarizer.add(encoded);
  if (++done % Math.ceil(count / 10) === 0) {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    console.log(
      `${done} records: heap ${(heapUsed / 2 ** 20).toFixed(1)} MiB, resident ${(rss / 2 ** 20).toFixed(0)} MiB`,
    );
  }
}
console.log(JSON.stringify(summarizer.summary().lengths.quantiles));
