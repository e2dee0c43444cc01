import { resolve } from 'node:path';
import { trainStage } from '@redef/experiment';
import type { TrainingEvent } from '@redef/training';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addEngineFlags, addTrainingFlags, type EngineFlags, engineOf } from '../engines.js';
import { integer } from '../options.js';
import { printStage } from '../print-stage.js';

type Options = EngineFlags & {
  encoded: string;
  labels: string;
  split: string;
  out: string;
  seed: number;
  epochs?: number;
  json?: true;
};

export const trainCommand = (cli: CliContext): Command =>
  addTrainingFlags(
    addEngineFlags(
      new Command('train')
        .description('train a model on the training split, choosing the epoch on the validation split')
        .requiredOption('--encoded <folder>', 'the output of redef encode')
        .requiredOption('--labels <folder>', 'the output of redef triage')
        .requiredOption('--split <folder>', 'the output of redef split or redef dedup')
        .requiredOption('--out <folder>', 'where to write the model; a run that was stopped goes on from there'),
    ),
  )
    .option('--seed <n>', 'of everything random', integer(0), 12345)
    .option('--epochs <n>', "passes over the training split; default: the engine's own", integer(1))
    .option('--json', 'print the manifest as JSON')
    .action(async ({ encoded, labels, split, out, seed, epochs, json, ...flags }: Options) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      const stage = await trainStage(
        {
          encoded: at(encoded),
          labels: at(labels),
          split: at(split),
          out: at(out),
          engine: engineOf(flags, cli),
          seed,
          ...(epochs !== undefined && { epochs }),
        },
        {
          signal: cli.signal,
          onEvent: ({ secondsLeft, ...event }: TrainingEvent) =>
            cli.onProgress({ ...event, ...(secondsLeft !== undefined && { seconds_left: secondsLeft }) }),
        },
      );
      printStage(cli, stage, json);
    });
