// After `npx tsup` in packages/stats: node packages/stats/bench/speed.bench.mjs
// Prints the wall time of each figure's first, best and median run, its CPU time (on a busy machine the honest one), and the
// ratio of PR-AUC to the sort it needs, all from one process.
import { createRng } from '@redef/core';
import { bootstrapMeanDifference, metrics, prAuc } from '../dist/index.js';

const rng = createRng('bench');
const normals = (n) => Array.from({ length: n }, () => rng.normal());

function time(runs, work) {
  const wall = [];
  const cpu = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    const used = process.cpuUsage();
    work();
    wall.push(performance.now() - start);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
  }
  const first = wall[0];
  for (const times of [wall, cpu]) times.sort((x, y) => x - y);
  return { first, best: wall[0], median: wall[runs >> 1], cpu: cpu[runs >> 1] };
}
const show = (name, { first, best, median, cpu }) => {
  const figures = { first, best, median, 'median of CPU time': cpu };
  console.log(
    `${name}: ${Object.entries(figures)
      .map(([what, ms]) => `${what} ${ms.toFixed(1)} ms`)
      .join(', ')}`,
  );
};

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
const ratio = (key) => (area[key] / sort[key]).toFixed(2);
console.log(`PR-AUC / sort: ${ratio('median')} by medians, ${ratio('best')} by bests, ${ratio('cpu')} by CPU time`);
