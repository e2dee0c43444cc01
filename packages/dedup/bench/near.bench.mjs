// Growth of the near-duplicate pass over generated rows of about 2 KB, each size in a process of its own.
// Run after a build: node bench/near.bench.mjs [50000 150000 500000]
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findNearDuplicates } from '@redef/dedup';
import { corpus, jaccardOf } from './corpus.mjs';

if (process.argv[2] === '--one') await one(Number(process.argv[3]));
else {
  const sizes = process.argv.length > 2 ? process.argv.slice(2) : ['50000', '150000', '500000'];
  console.log(
    'rows     MB text  seconds  of which making rows  CPU s  us/row  peak MB  verified  recall exact  renamed  near >= 0.8  (pairs)',
  );
  for (const size of sizes) {
    process.stdout.write(
      execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--one', size], { encoding: 'utf8' }),
    );
  }
}

async function one(rows) {
  const planted = [];
  let characters = 0;
  let making = 0;
  const samples = new Map(); // a third of the near copies with its origin, for the recall at a known Jaccard index
  function* timed() {
    const texts = [];
    const source = corpus(rows, 1);
    for (let row = 0; ; row++) {
      const start = performance.now();
      const { done, value } = source.next();
      if (done) return;
      characters += value.source.length;
      texts[row % 4000] = value.source;
      if (value.planted) {
        planted.push({ row, ...value.planted });
        const origin = row - value.planted.of < 4000 ? texts[value.planted.of % 4000] : undefined;
        if (value.planted.kind === 'near' && planted.length % 3 === 0 && origin)
          samples.set(row, jaccardOf(origin, value.source));
      }
      making += performance.now() - start;
      yield { source: value.source };
    }
  }
  const start = performance.now();
  const found = await findNearDuplicates({ all: timed() });
  const seconds = (performance.now() - start) / 1000;

  const clusterOf = new Map();
  for (const [cluster, { rows: members }] of found.clusters.entries())
    for (const { row } of members) clusterOf.set(row, cluster);
  const together = ({ row, of }) => clusterOf.has(row) && clusterOf.get(row) === clusterOf.get(of);
  const recall = (pairs) => (pairs.filter(together).length / pairs.length).toFixed(4);
  const near = planted.filter(({ row }) => (samples.get(row) ?? 0) >= 0.8);
  console.log(
    [
      String(rows).padEnd(7),
      (characters / 1e6).toFixed(0).padStart(8),
      seconds.toFixed(1).padStart(8),
      (making / 1000).toFixed(1).padStart(21),
      (process.cpuUsage().user / 1e6).toFixed(1).padStart(6),
      ((seconds * 1e6) / rows).toFixed(0).padStart(7),
      (process.resourceUsage().maxRSS / 1024).toFixed(0).padStart(8),
      String(found.work.verified).padStart(9),
      recall(planted.filter(({ kind }) => kind === 'exact' || kind === 'tag')).padStart(13),
      recall(planted.filter(({ kind }) => kind === 'renamed')).padStart(8),
      recall(near).padStart(12),
      `(${near.length})`.padStart(8),
    ].join(' '),
  );
}
