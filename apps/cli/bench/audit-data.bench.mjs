// What an audit costs beside reading and parsing the same file, in one run: generated rows of about 2 KB as CSV.
// Run after a build: node apps/cli/bench/audit-data.bench.mjs [rows, default 500000] [rounds, default 2]
// Every measurement is a process of its own; they take turns, so that a busy machine slows all of them alike.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRows, writeRows } from '@redef/datasets';
import { auditData } from '@redef/dedup';
import { corpus } from '../../../packages/dedup/bench/corpus.mjs';

const modes = {
  read: 'reading and parsing alone',
  exact: 'exact audit (exact, tag-stripped, contradictions, policies)',
  strips: 'the same with the marker-stripped levels',
  full: 'whole audit (normalised tokens and row checks too)',
};
const [mode, path] = process.argv.slice(2);

if (mode in modes) {
  const start = performance.now();
  let rows = 0;
  if (mode === 'read') {
    for await (const _row of readRows(path)) rows++;
  } else {
    const levels = mode === 'exact' ? [] : ['marker-stripped', ['tag-stripped', 'marker-stripped']];
    const audit = await auditData({ train: readRows(path) }, mode === 'full' ? {} : { levels, quality: false });
    rows = audit.sets.train.rows;
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(
    JSON.stringify({
      rows,
      seconds,
      cpu: process.cpuUsage().user / 1e6,
      peakMb: process.resourceUsage().maxRSS / 1024,
    }),
  );
} else {
  const rows = Number(mode ?? 500_000);
  const file = join(tmpdir(), `redef-audit-bench-${rows}.csv`);
  if (!existsSync(file)) {
    const written = function* () {
      for (const { source, target } of corpus(rows, 1)) yield { source, target };
    };
    await writeRows(file, written());
  }
  console.log(`${rows} rows, ${(statSync(file).size / 1e6).toFixed(0)} MB, ${file}`);
  const rounds = Array.from({ length: Number(path ?? 2) }, () =>
    Object.fromEntries(
      Object.keys(modes).map((name) => [
        name,
        JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name, file], { encoding: 'utf8' })),
      ]),
    ),
  );
  for (const [name, title] of Object.entries(modes)) {
    const best = (key) => Math.min(...rounds.map((round) => round[name][key]));
    const ratio = (key) => (best(key) / Math.min(...rounds.map((round) => round.read[key]))).toFixed(2);
    console.log(
      `${title}: ${best('seconds').toFixed(1)} s (${ratio('seconds')}x), CPU ${best('cpu').toFixed(1)} s (${ratio('cpu')}x), peak ${best('peakMb').toFixed(0)} MB`,
    );
  }
}
