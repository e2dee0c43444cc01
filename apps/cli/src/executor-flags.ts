import { RedefError } from '@redef/core';
import {
  createLocalExecutor,
  createSequentialExecutor,
  createSlurmExecutor,
  type Executor,
  type SlurmResources,
} from '@redef/experiment';
import { type Command, Option } from 'commander';
import { apiKeyFrom } from './api-key.js';
import type { CliContext } from './context.js';
import { collect, integer } from './options.js';

export interface ExecutorFlags extends Omit<SlurmResources, 'lines'> {
  executor: 'local' | 'slurm';
  processes?: number;
  scriptLine?: string[];
  pollSeconds?: number;
  detach?: true;
}

const slurmOptions = [
  new Option('--partition <name>', 'slurm: partition of the jobs'),
  new Option('--account <name>', 'slurm: account of the jobs'),
  new Option('--time <limit>', 'slurm: time limit of one cell, minutes or 1-12:00:00'),
  new Option('--memory <size>', 'slurm: memory of one cell, such as 16G'),
  new Option('--cpus <n>', 'slurm: cores of one cell').argParser(integer(1)),
  new Option('--gres <list>', 'slurm: other resources of one cell, such as gpu:1'),
  new Option('--running <n>', 'slurm: most cells of one array that run at once').argParser(integer(1)),
  new Option('--script-line <text>', 'slurm: line of the batch script before the command; repeatable').argParser(
    collect,
  ),
  new Option('--poll-seconds <n>', 'slurm: how often the queue is asked (default: 10)').argParser(integer(1)),
  new Option('--detach', 'slurm: submit and leave'),
];

/** Where the cells of a study run. */
export function addExecutorOptions(command: Command): Command {
  command
    .addOption(new Option('--executor <name>', 'where cells run').choices(['local', 'slurm']).default('local'))
    .option(
      '--processes <n>',
      'local: cells that run at once, each in a process of its own (default: one after the other in this one)',
      integer(1),
    );
  for (const option of slurmOptions) command.addOption(option);
  return command;
}

/** @throws `RedefError` `invalid-option` for an option of the other executor */
export function executorOf(flags: ExecutorFlags, { redef, env }: CliContext): Executor {
  const { executor, processes, scriptLine, pollSeconds, ...resources } = flags;
  if (executor === 'slurm' && processes !== undefined) {
    throw new RedefError('--processes is an option of the local executor', {
      code: 'invalid-option',
      remedy: 'Say --running for the cells of an array that run at once.',
    });
  }
  const foreign = slurmOptions.find((option) => executor === 'local' && option.attributeName() in flags);
  if (foreign) {
    throw new RedefError(`${foreign.long} is an option of the slurm executor`, {
      code: 'invalid-option',
      remedy: 'Add --executor slurm.',
    });
  }
  if (executor === 'slurm') {
    return createSlurmExecutor({
      ...resources,
      redef: redef ?? [],
      env,
      ...(scriptLine && { lines: scriptLine }),
      ...(pollSeconds !== undefined && { pollMs: pollSeconds * 1000 }),
    });
  }
  if (processes !== undefined && redef) return createLocalExecutor({ redef, env, processes });
  return createSequentialExecutor({ apiKey: apiKeyFrom(env) });
}
