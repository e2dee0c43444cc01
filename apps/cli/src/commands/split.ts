import { resolve } from 'node:path';
import { splitStage } from '@redef/experiment';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { printStage } from '../print-stage.js';

export const splitCommand = (cli: CliContext): Command =>
  new Command('split')
    .description('split labelled changes by time, 80/10/10 per repository and class')
    .requiredOption('--mined <folder>', 'the output of redef mine')
    .requiredOption('--labels <folder>', 'the output of redef triage')
    .requiredOption('--out <folder>', 'where to write splits.jsonl')
    .option('--json', 'print the manifest as JSON')
    .action(async ({ mined, labels, out, json }: { mined: string; labels: string; out: string; json?: true }) => {
      const stage = await splitStage(
        { mined: resolve(cli.cwd, mined), labels: resolve(cli.cwd, labels), out: resolve(cli.cwd, out) },
        { signal: cli.signal, onEvent: cli.onProgress },
      );
      printStage(cli, stage, json);
    });
