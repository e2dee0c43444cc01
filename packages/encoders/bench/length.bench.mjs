// Time of one change against the length of its function, per encoding: linear time shows as a flat last column.
//
//   pnpm --filter @redef/encoders build && node packages/encoders/bench/length.bench.mjs
//
// Three kinds of change of functions of 1,250 to 20,000 lines: a few edits, every fifth line edited, and all lines in
// another order, which is the worst case of a line diff. Pure layout and lexical tokenizer, so that no vocabulary is needed.
// `tree-paths` needs web-tree-sitter and tree-sitter-c.
import { createRng } from '@redef/core';
import { createEncoding, createLexicalTokenizer, diffLines, encodingNames } from '@redef/encoders';
import { loadSyntaxParser, treePaths } from '@redef/encoders/tree';

const tokenizer = createLexicalTokenizer();
const rng = createRng(1);
const lines = Array.from({ length: 20_000 }, (_, i) => `\tret = step_${i % 977}(dev, ${rng.integer(50)}, flags);`);
const kinds = {
  'few edits': (before) => before.map((line, i) => (i % 4000 === 17 ? `${line} /* edited */` : line)),
  'every fifth': (before) => before.map((line, i) => (i % 5 === 0 ? `${line} /* ${i} */` : line)),
  shuffled: (before) => rng.fork(before.length).shuffle(before),
};

/** Processor time: other load on the machine does not count. */
function milliseconds(work) {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const works = { 'line diff': (change) => diffLines(change.function_before, change.function_after) };
for (const encoding of [
  ...encodingNames.map((name) => createEncoding(name)),
  treePaths({ parser: await loadSyntaxParser() }),
]) {
  works[encoding.name] = (change) => encoding.encode(change, { tokenizer, maxTokens: 512 });
}

console.log('kind         encoding          lines       ms  us a line');
for (const [kind, edit] of Object.entries(kinds)) {
  for (const [name, work] of Object.entries(works)) {
    for (const size of [1250, 5000, 20_000]) {
      const before = lines.slice(0, size);
      const change = { id: '00', function_before: before.join('\n'), function_after: edit(before).join('\n') };
      const ms = milliseconds(() => work(change));
      console.log(
        `${kind.padEnd(12)} ${name.padEnd(15)} ${String(size).padStart(7)} ${ms.toFixed(1).padStart(8)} ${((1000 * ms) / size).toFixed(2).padStart(10)}`,
      );
    }
  }
}
