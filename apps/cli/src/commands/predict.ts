import { resolve } from 'node:path';
import type { SplitName } from '@redef/core';
import { predictStage } from '@redef/experiment';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addEngineFlags, type EngineFlags, engineOf } from '../engines.js';
import { integer, names } from '../options.js';
import { printStage } from '../print-stage.js';

type Options = EngineFlags & {
  model: string;
  encoded: string;
  labels: string;
  split: string;
  out: string;
  seed: number;
  splits: SplitName[];
  json?: true;
};

export const predictCommand = (cli: CliContext): Command =>
  addEngineFlags(
    new Command('predict')
      .description('score the changes of a split with a trained model')
      .requiredOption('--model <folder>', 'the output of redef train')
      .requiredOption('--encoded <folder>', 'the output of redef encode')
      .requiredOption('--labels <folder>', 'the output of redef triage')
      .requiredOption('--split <folder>', 'the output of redef split or redef dedup')
      .requiredOption('--out <folder>', 'where to write predictions.jsonl'),
  )
    .option('--seed <n>', 'the seed that the rows name: that of the model', integer(0), 12345)
    .option('--splits <names>', 'which splits to score', names(['train', 'validation', 'test'] as const), ['test'])
    .option('--json', 'print the manifest as JSON')
    .action(async ({ model, encoded, labels, split, out, seed, splits, json, ...flags }: Options) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      const stage = await predictStage(
        {
          model: at(model),
          encoded: at(encoded),
          labels: at(labels),
          split: at(split),
          out: at(out),
          engine: engineOf(flags, cli),
          seed,
          splits,
        },
        { signal: cli.signal, onEvent: cli.onProgress },
      );
      printStage(cli, stage, json);
    });
