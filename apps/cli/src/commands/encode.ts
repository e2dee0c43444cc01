import { resolve } from 'node:path';
import { type CounterfactualName, counterfactualNames, type EncodingName, encodingNames } from '@redef/encoders';
import { encodeStage } from '@redef/experiment';
import { Command, Option } from 'commander';
import { addBudgetOptions, type BudgetOptions, budgetOf } from '../budget.js';
import type { CliContext } from '../context.js';
import { integer } from '../options.js';
import { printStage } from '../print-stage.js';

interface Options extends BudgetOptions {
  mined: string;
  split: string;
  out: string;
  encoding: EncodingName;
  counterfactual?: CounterfactualName;
  seed: number;
  json?: true;
}

export const encodeCommand = (cli: CliContext): Command =>
  addBudgetOptions(
    new Command('encode')
      .description('lay the changes of a split out for a model, cut to an exact token budget')
      .requiredOption('--mined <folder>', 'the output of redef mine')
      .requiredOption('--split <folder>', 'the output of redef split or redef dedup')
      .requiredOption('--out <folder>', 'where to write encoded.jsonl')
      .addOption(new Option('--encoding <name>', 'how the change is shown').choices(encodingNames).default('diff-tags'))
      .addOption(
        new Option('--counterfactual <name>', 'distort it; brings its own encoding').choices(counterfactualNames),
      )
      .option('--seed <n>', "of the counterfactual's draws", integer(0), 12345)
      .option('--json', 'print the manifest as JSON'),
  ).action(async ({ mined, split, out, encoding, counterfactual, seed, json, ...budget }: Options) => {
    const at = (path: string): string => resolve(cli.cwd, path);
    const stage = await encodeStage(
      {
        mined: at(mined),
        split: at(split),
        out: at(out),
        as: counterfactual ? { counterfactual, seed } : { encoding },
        budget: await budgetOf(budget, cli),
      },
      { signal: cli.signal, onEvent: cli.onProgress },
    );
    printStage(cli, stage, json);
  });
