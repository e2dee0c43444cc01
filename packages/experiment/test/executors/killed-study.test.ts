import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cellProcesses, contents, killStudies, runKilledStudy, startStudy } from './killed-study.js';
import { type SlurmNode, slurmIsInstalled, startSlurmNode } from './slurm-node.js';

// REDEF_KILLED_STUDY=full: 200 cells and 20 kills on either executor, which takes many minutes.
// REDEF_KILLED_STUDY_SEED: of the points and of what is killed there.
const seed = process.env.REDEF_KILLED_STUDY_SEED ?? '1';
const full = process.env.REDEF_KILLED_STUDY === 'full';
const { seeds, kills } = full ? { seeds: 40, kills: 20 } : { seeds: 4, kills: 5 };
/** A study that hangs ends the test; a busy machine does not. */
const timeout = (full ? 120 : 30) * 60_000;
const ways = { encodings: 'diff-tags,added-deleted', counterfactuals: 'reversed-tags,inverse-change,swapped-blocks' };
const cells = 5 * seeds;
const args = ['--seeds', `1-${seeds}`, '--encodings', ways.encodings, '--counterfactuals', ways.counterfactuals];

let root: string;
let undisturbed: Record<string, string>;
let node: SlurmNode | undefined;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'redef-killed-'));
  const { ended, stderr } = startStudy(join(root, 'undisturbed'), args);
  if ((await ended) !== 0) throw new Error(stderr());
  undisturbed = contents(join(root, 'undisturbed'));
  expect(Object.keys(undisturbed).filter((path) => /^store\/cells\/\w+\/manifest.json$/.test(path))).toHaveLength(
    cells,
  );
}, timeout);
afterAll(async () => {
  killStudies();
  await node?.stop();
  rmSync(root, { recursive: true, force: true });
});

const signal = (name: NodeJS.Signals) => (submitter: ChildProcess) => submitter.kill(name);

test(`a study of ${cells} cells killed at ${kills} points in local processes gives the same bytes`, {
  timeout,
}, async () => {
  const out = join(root, 'local');
  const { done, starts } = await runKilledStudy({
    out,
    args: [...args, '--processes', '2'],
    cells,
    kills,
    seed: `local ${seed}`,
    harms: {
      'submitter SIGKILL': signal('SIGKILL'),
      'submitter SIGTERM': signal('SIGTERM'),
      'submitter SIGINT': signal('SIGINT'),
      'cell SIGKILL': () => kill(cellProcesses(out)[0]),
    },
  });
  console.info(`${starts} starts; ${done.join(', ')}`);
  expect(done).toHaveLength(kills);
  expect(contents(out)).toEqual(undisturbed);
  expect(cellProcesses(out)).toEqual([]);
});

test('a cell ends with the process that started it', { timeout }, async () => {
  const out = join(root, 'orphan');
  const { child, ended } = startStudy(out, [...args, '--epochs', '1000000', '--processes', '2']);
  while (cellProcesses(out).length < 2) await sleep(100);
  child.kill('SIGKILL');
  await ended;
  while (cellProcesses(out).length > 0) await sleep(100);
});

const installed = slurmIsInstalled();
if (!installed) console.warn('SKIPPED: a killed study on Slurm: install slurmctld slurmd slurm-client munge');

test.skipIf(!installed)(
  `a study of ${cells} cells killed at ${kills} points on Slurm gives the same bytes`,
  { timeout },
  async () => {
    const out = join(root, 'slurm');
    mkdirSync(join(root, 'node'));
    node = await startSlurmNode(join(root, 'node'), { maxArraySize: 64 });
    const { env, restart } = node;
    const slurm = async (program: string, ...words: string[]): Promise<string | undefined> => {
      const ran = await promisify(execFile)(program, words, { env }).catch(() => undefined);
      return ran?.stdout;
    };
    const running = async (): Promise<string | undefined> =>
      (await slurm('squeue', '-hr', '-t', 'running', '-o', '%i'))?.split('\n')[0];
    const { done, starts } = await runKilledStudy({
      out,
      args: [...args, '--executor', 'slurm', '--poll-seconds', '1'],
      env,
      cells,
      kills,
      seed: `slurm ${seed}`,
      harms: {
        'submitter SIGKILL': signal('SIGKILL'),
        'submitter SIGTERM': signal('SIGTERM'),
        'cell SIGKILL': () => kill(cellProcesses(out)[0]),
        'scontrol requeue': async () => (await slurm('scontrol', 'requeue', (await running()) ?? '')) !== undefined,
        scancel: async () => (await running()) !== undefined && (await slurm('scancel', '--me')) !== undefined,
        'slurmd SIGKILL': () => restart('slurmd', 'SIGKILL'),
        // Not SIGKILL: a controller that loses its last seconds takes ended tasks for running, for half an hour.
        'slurmctld SIGTERM': () => restart('slurmctld', 'SIGTERM'),
      },
    });
    console.info(`${starts} starts; ${done.join(', ')}`);
    expect(done).toHaveLength(kills);
    expect(contents(out)).toEqual(undisturbed);
    expect(cellProcesses(out)).toEqual([]);
  },
);

function kill(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL');
  } catch {
    return false; // it has just ended
  }
}
