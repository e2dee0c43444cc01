// Mines a whole history and sets the time against git's own, measured in the same run. Build first, then:
//   node packages/mining/bench/history.bench.mjs <repository> [--scale 10000,25000,50000] [--workers N] [--rounds N]
//     [--pydriller 200] [--python python3] [--only-pydriller] [--only-mine]
// Memory is that of the mining process, and of the git processes it had at one time. Ratios, not seconds, are what to
// compare between machines. PyDriller is measured too where `PYTHON -c "import pydriller"` works: both go over the same
// commits, spread over the history, and `ratio` is of commits a second.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '' },
    workers: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '1' },
    mine: { type: 'string' },
    commits: { type: 'boolean', default: false },
    pydriller: { type: 'string', default: '200' },
    python: { type: 'string', default: 'python3' },
    'only-pydriller': { type: 'boolean', default: false },
    'only-mine': { type: 'boolean', default: false },
  },
});
const [repository] = positionals;
if (!repository)
  throw new Error('usage: history.bench.mjs <repository> [--scale 10000,25000] [--workers N] [--rounds N]');

if (values.commits) {
  await mineCommits();
} else if (values.mine !== undefined) {
  await mineOnce(values.mine);
} else if (values['only-pydriller']) {
  console.log(JSON.stringify(pydriller(), null, 2));
} else if (values['only-mine']) {
  console.log(JSON.stringify({ repository, commits: count('HEAD'), ...(await mine('HEAD')) }, null, 2));
} else {
  const patterns = ['*.c', '*.h', '*.cc', '*.cpp', '*.cxx', '*.hh', '*.hpp'];
  const total = count('HEAD');
  const result = { repository, commits: total, rounds: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    const git = await time('git', [...gitDir(), 'log', '-p', '-U0', 'HEAD', '--', ...patterns]);
    const mined = await mine('HEAD');
    result.rounds.push({
      git_log_p_seconds: git.seconds,
      mine_seconds: mined.seconds,
      ratio: round2(mined.seconds / git.seconds),
      cpu_ratio: git.cpu && mined.cpu ? round2(mined.cpu / git.cpu) : undefined,
      peak_rss_mb: mined.rss,
      peak_rss_of_git_mb: mined.gitRss,
      commits_per_second: Math.round(total / mined.seconds),
      counts: mined.counts,
    });
  }
  if (values.scale) {
    const all = git('rev-list', '--topo-order', '--reverse', 'HEAD').split('\n');
    result.scale = [];
    for (const size of values.scale.split(',').map(Number)) {
      const head = all[Math.min(size, all.length) - 1];
      const commits = count(head);
      const { seconds, rss, gitRss, cpu } = await mine(head);
      result.scale.push({
        commits,
        seconds,
        cpu_seconds: cpu,
        milliseconds_per_commit: round2((seconds / commits) * 1000),
        peak_rss_mb: rss,
        peak_rss_of_git_mb: gitRss,
      });
    }
  }
  if (Number(values.pydriller) > 0) result.pydriller = pydriller();
  console.log(JSON.stringify(result, null, 2));
}

/** The measured process: prints what it took. */
async function mineOnce(head) {
  const { mineCandidates } = await import('../dist/index.js');
  const children = watchChildren();
  const started = performance.now();
  const rows = mineCandidates(repository, { branch: head, workers: Number(values.workers) });
  let next = await rows.next();
  while (!next.done) next = await rows.next();
  const seconds = (performance.now() - started) / 1000;
  const { single_file, single_function, defective, clean } = next.value.counts;
  console.log(
    JSON.stringify({
      seconds: round2(seconds),
      rss: Math.round(process.resourceUsage().maxRSS / 1024),
      gitRss: children.stop(),
      counts: { single_file, single_function, defective, clean },
    }),
  );
}

/** Samples the peak memory of the processes that this one starts, where /proc tells it; MB of all that lived at once. */
function watchChildren() {
  let peak = 0;
  const sample = () => {
    let sum = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        if (Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) !== process.pid) continue;
        sum += Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0);
      } catch {
        // it has ended
      }
    }
    peak = Math.max(peak, sum);
  };
  if (process.platform !== 'linux') return { stop: () => undefined };
  const timer = setInterval(sample, 250);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(peak / 1024);
    },
  };
}

/** The measured process of the comparison with PyDriller: the commits whose ids come on standard input, and no others. */
async function mineCommits() {
  const { mineFunctionChanges } = await import('../dist/index.js');
  const commits = readFileSync(0, 'utf8').trim().split('\n');
  const started = performance.now();
  let changes = 0;
  for await (const _ of mineFunctionChanges(repository, { commits })) changes++;
  console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, changes }));
}

async function mine(head) {
  const script = fileURLToPath(import.meta.url);
  const args = [script, repository, '--mine', head, '--workers', values.workers];
  const { output, cpu } = await time(process.execPath, args, true);
  return { ...JSON.parse(output), cpu };
}

/** Runs a command to its end; with GNU time its processor seconds, those of the processes it starts included. */
function time(command, args, keep = false) {
  const gnu = spawnSync('/usr/bin/time', ['-f', '%e', 'true']).status === 0;
  const [program, all] = gnu ? ['/usr/bin/time', ['-f', 'cpu %U %S', command, ...args]] : [command, args];
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      if (keep) output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors = (errors + chunk).slice(-4000);
    });
    child.on('close', (code) => {
      if (keep && code !== 0) return reject(new Error(errors));
      const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(errors) ?? [];
      resolve({
        seconds: round2((performance.now() - started) / 1000),
        output,
        cpu: user ? round2(Number(user) + Number(system)) : undefined,
      });
    });
  });
}

/** PyDriller's commits a second on single-file commits spread over the history, and ours on the same ones. */
function pydriller() {
  const wanted = Number(values.pydriller);
  const script = `
import json, sys, time
from pydriller import Repository
hashes = sys.argv[2].split(',')
started = time.time()
for commit in Repository(sys.argv[1], only_commits=hashes).traverse_commits():
    for file in commit.modified_files:
        file.changed_methods
print(json.dumps({'seconds': time.time() - started}))`;
  const all = git('rev-list', '--no-merges', 'HEAD', '--', '*.c', '*.cc', '*.h').split('\n');
  const step = Math.max(1, Math.floor(all.length / wanted));
  const hashes = all.filter((_, index) => index % step === 0).slice(0, wanted);
  const mine = spawnSync(process.execPath, [fileURLToPath(import.meta.url), repository, '--commits'], {
    encoding: 'utf8',
    input: hashes.join('\n'),
  });
  if (mine.status !== 0) throw new Error(mine.stderr);
  const ours = JSON.parse(mine.stdout);
  if (spawnSync(values.python, ['-c', 'import pydriller']).status !== 0) {
    const mine_commits_per_second = round2(hashes.length / ours.seconds);
    return { commits: hashes.length, mine_commits_per_second, ratio: 'PyDriller is not installed: not measured' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'redef-bench-'));
  try {
    // it opens no bare repository: a clone that shares the objects will do
    const clone = join(folder, 'clone');
    spawnSync('git', ['clone', '--quiet', '--shared', '--no-checkout', repository, clone]);
    const theirs = spawnSync(values.python, ['-c', script, clone, hashes.join(',')], { encoding: 'utf8', cwd: folder });
    if (theirs.status !== 0) return `failed: ${theirs.stderr.slice(-300)}`;
    const { seconds } = JSON.parse(theirs.stdout);
    return {
      commits: hashes.length,
      pydriller_commits_per_second: round2(hashes.length / seconds),
      mine_commits_per_second: round2(hashes.length / ours.seconds),
      ratio: round2(seconds / ours.seconds),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function gitDir() {
  return spawnSync('git', ['-C', repository, 'rev-parse', '--git-dir']).status === 0
    ? ['-C', repository]
    : [`--git-dir=${repository}`];
}

function git(...args) {
  return spawnSync('git', [...gitDir(), ...args], { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout.trim();
}

function count(revision) {
  return Number(git('rev-list', '--count', revision));
}

function round2(value) {
  return Math.round(value * 100) / 100;
}
