import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, RedefError } from '@redef/core';
import {
  readSlurmCells,
  type SlurmCell,
  type StudyStatus,
  studyFolder,
  studyStatus,
  type Table,
} from '@redef/experiment';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { spellTime } from '../progress.js';
import { renderTextTable } from '../text-table.js';

interface Options {
  watch?: true;
  json?: true;
}

const watchMs = 2_000;

export const statusCommand = (cli: CliContext): Command =>
  new Command('status')
    .description('how far a study is, whoever runs it: cells done, failed, running, and the time left')
    .argument('[study]', 'the folder of redef study', 'redef-study')
    .option('--watch', 'look again every two seconds until nothing is left to run')
    .option('--json', 'print it as JSON')
    .action(async (folder: string, { watch, json }: Options) => {
      const study = studyFolder(resolve(cli.cwd, folder));
      for (;;) {
        const status = await studyStatus(study);
        const { done, failed, total } = status;
        if (!watch || cli.signal.aborted || done + failed === total) {
          const slurm = done === total ? [] : await slurmCells(study.root, cli);
          if (json) print(cli, JSON.stringify({ ...status, slurm }, null, 2));
          else print(cli, [describeStatus(status), ...describeSlurm(slurm)].join('\n'));
          return;
        }
        const { secondsLeft } = status;
        cli.onProgress({
          type: 'progress',
          stage: failed > 0 ? `cells, ${failed} failed` : 'cells',
          done: done + failed,
          total,
          unit: 'cells',
          ...(secondsLeft !== null && { seconds_left: secondsLeft }),
        });
        await sleep(watchMs, undefined, { signal: cli.signal }).catch(() => {});
      }
    });

/** `null` where Slurm was to run cells and cannot be asked. */
async function slurmCells(folder: string, { env, stderr }: CliContext): Promise<SlurmCell[] | null> {
  try {
    return await readSlurmCells(folder, env);
  } catch (error) {
    if (!RedefError.isInstance(error) || !error.code.startsWith('slurm-')) throw error;
    stderr.write(`redef: ${error.message}\n`);
    return null;
  }
}

/** `Slurm: 12 PENDING (Priority), 4 RUNNING`. */
function describeSlurm(cells: readonly SlurmCell[] | null): string[] {
  const states = new Counter();
  for (const { state, reason } of cells ?? []) states.add(reason === '' ? state : `${state} (${reason})`);
  const told = Object.entries(states.toJSON()).map(([state, count]) => `${count} ${state}`);
  return told.length > 0 ? ['', `Slurm: ${told.join(', ')}`] : [];
}

function describeStatus(status: StudyStatus): string {
  const { done, total, failed, running, secondsLeft, failures, groups } = status;
  const left =
    done + failed === total ? '' : `, ${secondsLeft === null ? 'time left unknown' : `${spellTime(secondsLeft)} left`}`;
  const columns: Table['columns'] = ['model', 'shown', 'cells', 'done', 'failed', 'running'].map((title, i) => ({
    title,
    align: i < 2 ? 'left' : 'right',
  }));
  const table = renderTextTable({
    caption: `${done} of ${total} cells done, ${failed} failed, ${running} running${left}`,
    columns,
    rows: groups.map((group) => ({
      cells: [group.model, group.shown, ...[group.total, group.done, group.failed, group.running].map(String)],
    })),
  });
  const lines = failures.map(({ title, failure }) => `failed: ${title}: ${failure.code}: ${failure.message}`);
  return [table, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}
