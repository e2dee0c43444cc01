import { resolve } from 'node:path';
import { dedupStage } from '@redef/experiment';
import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { printStage } from '../print-stage.js';

interface Options {
  mined: string;
  labels: string;
  split: string;
  out: string;
  policy: 'cut-from-train' | 'cut-from-test';
  json?: true;
}

export const dedupCommand = (cli: CliContext): Command =>
  new Command('dedup')
    .description('remove contradictory labels and duplicates within and across the splits')
    .requiredOption('--mined <folder>', 'the output of redef mine')
    .requiredOption('--labels <folder>', 'the output of redef triage')
    .requiredOption('--split <folder>', 'the output of redef split')
    .requiredOption('--out <folder>', 'where to write splits.jsonl, rejects.jsonl and audit.json')
    .addOption(
      new Option('--policy <name>', 'which side of a duplicate across sets goes')
        .choices(['cut-from-train', 'cut-from-test'])
        .default('cut-from-train'),
    )
    .option('--json', 'print the manifest as JSON')
    .action(async ({ mined, labels, split, out, policy, json }: Options) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      const stage = await dedupStage(
        { mined: at(mined), labels: at(labels), split: at(split), out: at(out), policy },
        { signal: cli.signal, onEvent: cli.onProgress },
      );
      printStage(cli, stage, json);
    });
