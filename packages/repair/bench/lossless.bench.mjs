// How many samples the format brings back: node packages/repair/bench/lossless.bench.mjs (after a build)
// Needs the real data beside the repository, or its folder in REDEF_SHARED.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyTarget, formatSample, matchingDiff, myersDiff, parseSource, splitTokens } from '../dist/index.js';

const shared = process.env.REDEF_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url));
const read = (path) => readFileSync(`${shared}/data/${path}`, 'utf8');

function csvRows(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows.slice(1);
}

function report(title, counts, total) {
  const shares = Object.entries(counts).map(([name, n]) => `${name} ${n} (${((100 * n) / total).toFixed(2)}%)`);
  console.log(`${title}: ${total} samples\n  ${shares.join('\n  ')}`);
}

const count = (counts, name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

for (const file of ['val.csv', 'fold0-val.csv']) {
  const rows = csvRows(read(`vulrepair/${file}`));
  const counts = {};
  for (const [, source, target] of rows) {
    const result = applyTarget(source, target);
    count(counts, result.status === 'placed' ? `placed, decided by ${result.decidedBy}` : result.status);
    if (result.status !== 'placed') continue;
    const { cwe, tokens } = parseSource(source);
    const again = formatSample(tokens, result.tokens, { cwe });
    if (again.target === splitTokens(target).join(' ')) count(counts, 'published target formatted again as it was');
    const shortest = formatSample(tokens, result.tokens, { cwe, diff: myersDiff });
    if (shortest.target === splitTokens(target).join(' ')) count(counts, 'the same with a shortest edit script');
    const back = applyTarget(again.source, again.target);
    if (back.status !== 'placed') count(counts, 'formatted again and ambiguous');
    else count(counts, back.tokens.join(' ') === result.tokens.join(' ') ? 'lossless' : 'WRONG');
  }
  report(`vulrepair/${file}`, counts, rows.length);
}

for (const split of ['valid', 'test']) {
  const lines = ['buggy', 'fixed'].map((side) =>
    read(`codexglue-refinement/small.${split}.${side}`).trimEnd().split('\n'),
  );
  for (const [name, diff] of Object.entries({ matchingDiff, myersDiff })) {
    for (const contextTokens of [3, 10]) {
      const counts = {};
      lines[0].forEach((line, i) => {
        const [before, after] = [splitTokens(line), splitTokens(lines[1][i])];
        const { source, target } = formatSample(before, after, { contextTokens, diff });
        const result = applyTarget(source, target, { contextTokens, diff });
        if (result.status !== 'placed') count(counts, result.status);
        else count(counts, result.tokens.join(' ') === after.join(' ') ? 'lossless' : 'WRONG');
      });
      report(`codexglue-refinement/small.${split}, context ${contextTokens}, ${name}`, counts, lines[0].length);
    }
  }
}
