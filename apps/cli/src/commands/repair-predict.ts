import { join, resolve } from 'node:path';
import { Variables } from '@redef/autodiff';
import { writeJsonl } from '@redef/core/files';
import { loadRepairWeights, predictRepairs, repairDecoder, Seq2SeqDecoder, tokenizeText } from '@redef/repair/model';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { integer } from '../options.js';
import { addRepairModelOptions, loadTrainedModel, type RepairModelFlags } from '../repair-model.js';
import { readSamples } from '../repair-rows.js';
import { addSearchOptions, type RepairSearchFlags, searchOf } from '../repair-search.js';

interface Options extends RepairModelFlags, RepairSearchFlags {
  out: string;
  beam: number;
  batchSize: number;
  seed?: number;
}

export const repairPredictCommand = (cli: CliContext): Command =>
  addSearchOptions(
    addRepairModelOptions(
      new Command('predict')
        .description('predict the targets of samples, for redef score')
        .argument('<samples>', 'CSV, JSONL or Parquet with source and target; - for standard input'),
      'the output of redef repair train',
    ),
  )
    .requiredOption('--out <file>', 'JSONL: id, seed, predictions and probabilities, best first')
    .option('--beam <n>', 'predictions of each sample', integer(1), 50)
    .option('--batch-size <n>', 'samples decoded at once', integer(1), 8)
    .option('--seed <n>', 'that the rows name (default: the one the model was trained with)', integer(0))
    .action(async (path: string, options: Options) => {
      const ofModel = ['config.json', 'repair.json', 'model.safetensors'].map((name) => join(options.model, name));
      await keepInputs(cli, [path, ...ofModel], { files: [options.out] });
      const samples = await readSamples(cli, [path]);
      const { folder, model, tokenizer, driver } = await loadTrainedModel(cli.cwd, options);
      const variables = new Variables(driver);
      await loadRepairWeights(folder, model, variables, { mayBeMissing: () => false });
      const sources = samples.map(({ source }) => tokenizeText(source, tokenizer, model.settings.max_source_tokens));
      const threads = options.threads === undefined ? {} : { threads: options.threads };
      const decoder = await Seq2SeqDecoder.create(repairDecoder(model), variables, threads);
      const found = await predictRepairs(
        decoder,
        model,
        tokenizer,
        sources.map(({ ids }) => ids),
        {
          width: options.beam,
          search: searchOf(options, options.beam),
          batchSize: options.batchSize,
          signal: cli.signal,
          onEvent: cli.onProgress,
        },
      ).finally(() => decoder.close());
      const { seed = model.settings.seed } = options;
      const rows = samples.map(({ id }, index) => ({
        id,
        ...(seed !== undefined && { seed }),
        predictions: found[index]!.map(({ target }) => target),
        probabilities: found[index]!.map(({ probability }) => probability),
      }));
      await writeJsonl(resolve(cli.cwd, options.out), rows, { signal: cli.signal });
      const cut = sources.filter((source) => source.cut).length;
      print(cli, `${rows.length} samples, ${cut} of them longer than the model reads`);
    });
