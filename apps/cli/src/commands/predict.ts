import { resolve } from 'node:path';
import type { SplitName } from '@redef/core';
import { predictStage } from '@redef/experiment';
import { Command, Option } from 'commander';
import type { CliContext } from '../context.js';
import { type EngineName, engineNames, engines } from '../engines.js';
import { integer, names } from '../options.js';
import { printStage } from '../print-stage.js';

interface Options {
  model: string;
  encoded: string;
  labels: string;
  split: string;
  out: string;
  engine: EngineName;
  seed: number;
  splits: SplitName[];
  json?: true;
}

export const predictCommand = (cli: CliContext): Command =>
  new Command('predict')
    .description('score the changes of a split with a trained model')
    .requiredOption('--model <folder>', 'the output of redef train')
    .requiredOption('--encoded <folder>', 'the output of redef encode')
    .requiredOption('--labels <folder>', 'the output of redef triage')
    .requiredOption('--split <folder>', 'the output of redef split or redef dedup')
    .requiredOption('--out <folder>', 'where to write predictions.jsonl')
    .addOption(new Option('--engine <name>', 'what trained the model').choices(engineNames).default('linear'))
    .option('--seed <n>', 'the seed that the rows name: that of the model', integer(0), 12345)
    .option('--splits <names>', 'which splits to score', names(['train', 'validation', 'test'] as const), ['test'])
    .option('--json', 'print the manifest as JSON')
    .action(async ({ model, encoded, labels, split, out, engine, seed, splits, json }: Options) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      const stage = await predictStage(
        {
          model: at(model),
          encoded: at(encoded),
          labels: at(labels),
          split: at(split),
          out: at(out),
          engine: engines[engine](),
          seed,
          splits,
        },
        { signal: cli.signal, onEvent: cli.onProgress },
      );
      printStage(cli, stage, json);
    });
