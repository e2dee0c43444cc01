import { resolve } from 'node:path';
import { PairList, tokenizeSample, trainRepairModel } from '@redef/repair/model';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { collect, fraction, integer } from '../options.js';
import {
  addNetworkOptions,
  addRepairModelOptions,
  copyTokenizer,
  loadRepairModel,
  type RepairModelFlags,
} from '../repair-model.js';
import { openSamples } from '../repair-rows.js';

interface Options extends RepairModelFlags {
  train: string[];
  validation?: string[];
  out: string;
  seed: number;
  epochs: number;
  batchSize: number;
  learningRate: number;
  patience?: number;
  paddingInLoss?: true;
  json?: true;
}

export const repairTrainCommand = (cli: CliContext): Command =>
  addNetworkOptions(
    addRepairModelOptions(
      new Command('train')
        .description('train a sequence-to-sequence model to write the repair of a source')
        .requiredOption('--train <file>', 'samples with source and target; repeatable', collect)
        .option(
          '--validation <file>',
          'chooses the epoch by the lowest loss; repeatable (default: last epoch)',
          collect,
        ),
      'a checkpoint folder (for transfer: the output of this command), or a config.json to start from random weights',
    ),
  )
    .requiredOption('--out <folder>', 'where to write the model; a run that was stopped goes on')
    .option('--seed <n>', 'of everything random', integer(0), 26312)
    .option('--epochs <n>', 'passes over the samples', integer(1), 75)
    .option('--batch-size <n>', '128 for the bug-fix corpus in the paper', integer(1), 8)
    .option('--learning-rate <n>', 'the highest', fraction, 2e-5)
    .option('--patience <n>', 'epochs without a lower validation loss after which to stop (default: never)', integer(1))
    .option('--padding-in-loss', 'let padding count, as in VulRepair')
    .option('--json', 'print the epochs as JSON')
    .action(async (options: Options) => {
      await keepInputs(cli, [options.model, options.tokenizer], { folders: [options.out] });
      const { start, model, tokenizer, driver } = await loadRepairModel(cli.cwd, options);
      const out = resolve(cli.cwd, options.out);
      const vocabularySize = Math.max(model.config.vocab_size, tokenizer.size);
      const readPairs = async (paths: readonly string[]) => {
        const pairs = new PairList(vocabularySize);
        let cut = 0;
        for await (const sample of openSamples(cli, paths)) {
          const pair = tokenizeSample(sample, tokenizer, model.settings);
          if (pair.sourceCut || pair.targetCut) cut++;
          pairs.push(pair);
        }
        return { pairs, cut };
      };
      const { pairs: train, cut } = await readPairs(options.train);
      const { pairs: validation } = await readPairs(options.validation ?? []);
      const { epochs, batchSize, learningRate, patience } = options;
      const trained = await trainRepairModel({
        folder: out,
        start: typeof start === 'string' ? { folder: start, settings: model.settings } : model,
        vocabularySize,
        train,
        validation,
        seed: options.seed,
        settings: { epochs, batchSize, learningRate, ...(patience !== undefined && { patience }) },
        paddingInLoss: options.paddingInLoss ?? false,
        driver,
        now: Date.now,
        signal: cli.signal,
        onEvent: (event) => {
          if (event.type === 'progress') cli.onProgress(event);
        },
      });
      await copyTokenizer(resolve(cli.cwd, options.tokenizer ?? options.model), out);
      const rows = trained.epochs.map(({ epoch, trainLoss, validation }) => {
        const mark = epoch === trained.bestEpoch ? '  kept' : '';
        const measured = validation === null ? '' : `, validation ${validation.toFixed(4)}`;
        return `epoch ${epoch}: training loss ${trainLoss.toFixed(4)}${measured}${mark}`;
      });
      print(
        cli,
        options.json
          ? JSON.stringify(
              { epochs: trained.epochs, best_epoch: trained.bestEpoch, samples: train.length, cut },
              null,
              2,
            )
          : [...rows, `${train.length} samples, ${cut} of them cut to the model's lengths`, `model: ${out}`].join('\n'),
      );
    });
