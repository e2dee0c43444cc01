import { resolve } from 'node:path';
import { readPlan, reportStage, studyFolder } from '@redef/experiment';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { printStage } from '../print-stage.js';

export const reportCommand = (cli: CliContext): Command =>
  new Command('report')
    .description('write the report of a study again from its stages')
    .argument('<study>', 'the folder of redef study')
    .option('--force', 'even where it is up to date')
    .option('--json', 'print the results as JSON')
    .action(async (folder: string, { force, json }: { force?: true; json?: true }) => {
      const study = studyFolder(resolve(cli.cwd, folder));
      const stage = await reportStage(study, await readPlan(study), { signal: cli.signal, ...(force && { force }) });
      if (json) print(cli, JSON.stringify(stage.results, null, 2));
      else printStage(cli, stage);
    });
