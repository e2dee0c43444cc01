import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRng } from '@redef/core';

/** The command line as it is built; nothing of this package is loaded from its sources. */
const redef = fileURLToPath(new URL('../../../../apps/cli/dist/redef.js', import.meta.url));

export interface KilledStudy {
  out: string;
  /** Options of `redef study` besides `--out`. */
  args: readonly string[];
  cells: number;
  kills: number;
  seed: string;
  env?: Record<string, string | undefined>;
  /** Ways to do harm by name; one is drawn for each kill. They give `false` where there is nothing to harm just now. */
  harms: Readonly<Record<string, (submitter: ChildProcess) => Promise<boolean> | boolean>>;
}

/**
 * Runs a study, does it harm at as many random points as asked for, each once a drawn number of cells is done, starts it
 * again whenever it has ended, and lets it run to its end. Gives the harms that were done and how often it was started.
 */
export async function runKilledStudy({ out, args, cells, kills, seed, env, harms }: KilledStudy) {
  const rng = createRng(seed);
  const points = Array.from({ length: kills }, () => rng.integer(cells)).sort((a, b) => a - b);
  const names = Object.keys(harms);
  const done: string[] = [];
  let starts = 0;
  let run = start();
  for (const point of points) {
    do {
      startIfEnded();
      await sleep(20);
    } while (finished(out) < point || (point === 0 && !existsSync(join(out, 'mined'))));
    await sleep(rng.integer(400));
    let name: string;
    do {
      startIfEnded(); // the harm before may have ended it since
      name = names[rng.integer(names.length)]!;
    } while (!(await harms[name]!(run.child)));
    done.push(`${name} at ${finished(out)}`);
  }
  while ((await run.ended) !== 0) {
    if (starts > kills + 10) throw new Error(`the study does not come to its end:\n${run.stderr()}`);
    run = start();
  }
  return { done, starts };

  function startIfEnded() {
    if (run.child.exitCode !== null || run.child.signalCode !== null) run = start();
  }

  function start() {
    starts++;
    return startStudy(out, args, env);
  }
}

const started: ChildProcess[] = [];

/** Also of a test that timed out. */
export function killStudies(): void {
  for (const child of started) child.kill('SIGKILL');
}

export function startStudy(out: string, args: readonly string[], env?: Record<string, string | undefined>) {
  const child = spawn(process.execPath, [redef, 'study', '--out', out, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(env && { env }),
  });
  started.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, ended, stderr: () => stderr };
}

function finished(out: string): number {
  try {
    return readdirSync(join(out, 'store', 'cells')).length;
  } catch {
    return 0;
  }
}

/** Digest of every file by path: what a study gives, without what a machine keeps to itself. */
export function contents(folder: string): Record<string, string> {
  const own = /^(cache|sample-history|store\/claims)\//;
  const found: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (own.test(path) || !statSync(join(folder, path)).isFile()) continue;
    found[relative(folder, join(folder, path))] = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  }
  return found;
}

/** Ids of processes that run a cell of this study. */
export function cellProcesses(out: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`study cell ${out} `)).map((line) => Number.parseInt(line, 10));
}
