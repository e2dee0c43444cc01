// After `npx tsup` in packages/stats: node packages/stats/bench/speed.bench.mjs
// Prints each figure's best and median of the runs, and the ratio of PR-AUC to the sort it needs, from one process.
import { createRng } from '@redef/core';
import { bootstrapMeanDifference, metrics, prAuc } from '../dist/index.js';

const rng = createRng('bench');
const normals = (n) => Array.from({ length: n }, () => rng.normal());

function time(runs, work) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  const first = times[0];
  times.sort((x, y) => x - y);
  return { first, best: times[0], median: times[times.length >> 1] };
}
const show = (name, { first, best, median }) =>
  console.log(`${name}: first ${first.toFixed(1)} ms, best ${best.toFixed(1)} ms, median ${median.toFixed(1)} ms`);

for (const [n, runs] of [
  [10, 50],
  [1000, 7],
]) {
  const a = normals(n);
  const b = normals(n);
  for (const interval of ['percentile', 'bca']) {
    const result = time(runs, () => bootstrapMeanDifference(a, b, { rng, interval }));
    show(`bootstrap of ${n} pairs, 10,000 resamples, ${interval}`, result);
  }
}

const million = 1_000_000;
const scores = Float64Array.from({ length: million }, () => rng.next());
const truth = Uint8Array.from(scores, (score) => (rng.next() < score * 0.4 ? 1 : 0));
show(
  'metrics of a million scores',
  time(7, () => metrics(truth, scores)),
);
const area = time(9, () => prAuc(truth, scores));
const sort = time(9, () => Float64Array.from(scores).sort());
show('PR-AUC of a million scores', area);
show('sort of a million scores', sort);
console.log(
  `PR-AUC / sort: ${(area.median / sort.median).toFixed(2)} by medians, ${(area.best / sort.best).toFixed(2)} by bests`,
);
