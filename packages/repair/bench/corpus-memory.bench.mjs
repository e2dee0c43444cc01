// What the pairs of a corpus as large as R+R's bug fixes (534,858 rows) take in memory, as a list and as an array:
//   node --expose-gc packages/repair/bench/corpus-memory.bench.mjs   (after a build)
// Lengths are drawn evenly: sources of 100 to 512 ids, targets of 8 to 128; the vocabulary is CodeT5's.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';
import { PairList } from '../dist/model.js';

const rows = 534_858;
const vocabularySize = 32_105;
const [, , kind] = process.argv;
if (kind === undefined) {
  for (const each of ['PairList', 'array']) {
    spawnSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), each], { stdio: 'inherit' });
  }
} else {
  const rng = createRng(1);
  const draw = (least, most) => new Int32Array(least + rng.integer(most - least + 1)).fill(rng.integer(vocabularySize));
  const megabytes = () => {
    globalThis.gc();
    return process.memoryUsage().rss / 2 ** 20;
  };
  const before = megabytes();
  const pairs = kind === 'array' ? [] : new PairList(vocabularySize);
  for (let id = 0; id < rows; id++) {
    const [sourceIds, targetIds] = [draw(100, 512), draw(8, 128)];
    pairs.push({ id: String(id), sourceIds, targetIds, sourceCut: false, targetCut: false });
  }
  console.log(`${kind}: ${(megabytes() - before).toFixed(0)} MiB for ${pairs.length} pairs`);
}
