import { resolve } from 'node:path';
import { importStage } from '@redef/experiment';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { printStage } from '../print-stage.js';

export const importCommand = (cli: CliContext): Command =>
  new Command('import')
    .description('the report of results that others published per seed, without training')
    .argument('<table>', 'CSV, JSONL or Parquet: model, encoding, seed, metric, value; or a column for each metric')
    .requiredOption('--out <folder>', 'where to write the report')
    .action(async (table: string, { out }: { out: string }) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      printStage(cli, await importStage({ table: at(table), out: at(out) }, { signal: cli.signal }));
    });
