import { RedefError } from '@redef/core';

/** What a study asks of Slurm for each of its cells; absent means the cluster's default. */
export interface SlurmResources {
  partition?: string;
  account?: string;
  /** Limit of one cell, as `sbatch --time` takes it: minutes, or `1-12:00:00`. */
  time?: string;
  /** As `sbatch --mem`: `16G`. */
  memory?: string;
  cpus?: number;
  /** As `sbatch --gres`: `gpu:1`. */
  gres?: string;
  /** Cells of one array that run at once. */
  running?: number;
  /** Lines put into every script before the cell's command: further `#SBATCH` options, `module load nodejs`. */
  lines?: readonly string[];
}

export interface ScriptJob {
  name: string;
  /** File name pattern of `sbatch --output`, its folder without a pattern. */
  logs: string;
  /** Program and arguments. */
  command: readonly string[];
  /** One task of an array each, appended to the command; absent for a job of one task. */
  cells?: readonly string[];
}

/**
 * The batch script of a job. The shell is replaced by the command, so that Slurm's signals reach it.
 *
 * @throws `RedefError` `invalid-option` where a value holds a control character, which no `#SBATCH` line can, or where the
 *   path of the logs holds a backslash, which Slurm takes as the order not to fill in a pattern
 */
export function batchScript({ name, logs, command, cells }: ScriptJob, resources: SlurmResources): string {
  const { partition, account, time, memory, cpus, gres, running, lines = [] } = resources;
  if (logs.includes('\\')) throw unusable(logs, 'a backslash in the path of a study for Slurm');
  const limit = running === undefined ? '' : `%${running}`;
  const options: Record<string, string | number | undefined> = {
    'job-name': name,
    array: cells && `0-${cells.length - 1}${limit}`,
    output: `${logs.replaceAll('%', '%%')}/${cells ? '%A_%a' : '%j'}.log`,
    'open-mode': 'append',
    partition,
    account,
    time,
    mem: memory,
    'cpus-per-task': cpus,
    gres,
  };
  for (const line of lines) refuseControl(line);
  const isOption = (line: string): boolean => line.startsWith('#SBATCH');
  return [
    '#!/bin/bash',
    ...Object.entries(options).flatMap(([option, value]) =>
      value === undefined ? [] : [`#SBATCH --${option}=${directive(`${value}`)}`],
    ),
    '#SBATCH --requeue',
    ...lines.filter(isOption),
    ...lines.filter((line) => !isOption(line)),
    ...(cells ? [`set -- ${cells.map(quote).join(' ')}`, 'shift "$SLURM_ARRAY_TASK_ID"'] : []),
    `exec ${command.map(quote).join(' ')}${cells ? ' "$1"' : ''}`,
    '',
  ].join('\n');
}

/** A word of the shell. */
function quote(word: string): string {
  return `'${refuseControl(word).replaceAll("'", `'\\''`)}'`;
}

/** A value in a `#SBATCH` line: sbatch takes quotes away and a backslash before any character. */
function directive(value: string): string {
  return /^[\w./:,%=+-]+$/.test(refuseControl(value)) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
}

function refuseControl(text: string): string {
  if (/\p{Cc}/u.test(text)) throw unusable(text, 'a line break or other control character in what Slurm is given');
  return text;
}

function unusable(text: string, what: string): RedefError {
  return new RedefError(`${JSON.stringify(text)}: ${what}`, {
    code: 'invalid-option',
    remedy: 'Rename the folder, or correct the option.',
  });
}
