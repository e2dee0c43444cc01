import { join, resolve } from 'node:path';
import {
  type RepairCellEvent,
  type RepairScenario,
  repairScenarios,
  runRepairStudy,
  scoreTable,
  writeRepairReport,
} from '@redef/experiment';
import { readJudgements, type ScoreOptions } from '@redef/repair';
import { createCSyntax } from '@redef/repair/syntax';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { collect, fraction, integer, names, number, seeds } from '../options.js';
import { addNetworkOptions, addRepairModelOptions, loadRepairModel, type RepairModelFlags } from '../repair-model.js';
import { openRows, readSamples } from '../repair-rows.js';
import { writeRepairScores } from '../repair-scores.js';
import { renderTextTable } from '../text-table.js';

interface Options extends RepairModelFlags {
  train: string[];
  test: string;
  bugFix?: string;
  bugFixValidation?: string;
  out: string;
  scenarios?: RepairScenario[];
  seeds?: number[];
  beam: number;
  beams?: number[];
  validationShare?: number;
  epochs?: number;
  batchSize?: number;
  learningRate?: number;
  preEpochs?: number;
  preBatchSize?: number;
  paddingInLoss?: true;
  context: number;
  judgements?: string;
  syntax?: true;
  json?: true;
}

export const repairStudyCommand = (cli: CliContext): Command =>
  addNetworkOptions(
    addRepairModelOptions(
      new Command('study')
        .description("R+R's questions on a data set: with duplicates, without, and pre-trained on bug fixes")
        .requiredOption('--train <file>', 'training samples, validation among them; repeatable', collect)
        .requiredOption('--test <file>', 'test samples'),
      'a checkpoint folder, or a config.json to start from random weights',
    ),
  )
    .option('--bug-fix <file>', 'bug-fix corpus, for pre-training')
    .option('--bug-fix-validation <file>', 'chooses the epoch of pre-training')
    .requiredOption('--out <folder>', 'the folder of the study; a cell that is done is not done again')
    .option('--scenarios <names>', `some of ${repairScenarios.join(', ')}`, names(repairScenarios))
    .option('--seeds <list>', '1,2,3 (default: the six of the paper)', seeds)
    .option('--beam <n>', 'beams of RQ1 to RQ3', integer(1), 50)
    .option('--beams <list>', 'beams of bug-fix and transfer (default: 1,3,5,10,20,30,40,50)', seeds)
    .option('--validation-share <n>', 'of the training samples (default: as published, 0.1238; 0 for none)', number(0))
    .option('--epochs <n>', 'default: 75', integer(1))
    .option('--batch-size <n>', 'default: 8', integer(1))
    .option('--learning-rate <n>', 'default: 2e-5', fraction)
    .option('--pre-epochs <n>', 'of pre-training (default: 75)', integer(1))
    .option('--pre-batch-size <n>', 'of pre-training (default: 128)', integer(1))
    .option('--padding-in-loss', 'let padding count, as in VulRepair')
    .option('--context <n>', 'tokens of context in the targets, for scores.md', integer(1), 3)
    .option('--judgements <file>', 'id, accurate and complete of test samples, for RQ4B in scores.md')
    .option('--syntax', 'also parse the patched functions, for scores.md (needs web-tree-sitter and tree-sitter-c)')
    .option('--json', 'print the results as JSON')
    .action(async (options: Options) => {
      const { out, train, test: testPath, bugFix, bugFixValidation } = options;
      await keepInputs(cli, [...train, testPath, bugFix, bugFixValidation, options.judgements], {
        files: ['report.html', 'report.md', 'results.json', 'scores.md'].map((name) => join(out, name)),
      });
      const { start, model, tokenizer, driver } = await loadRepairModel(cli.cwd, options);
      const { epochs, batchSize, learningRate, preEpochs, preBatchSize, validationShare, threads } = options;
      const judgements =
        options.judgements === undefined ? undefined : await readJudgements(openRows(cli, options.judgements));
      const test = await readSamples(cli, [options.test]);
      const scoring = {
        tokenizer,
        maxTokens: model.settings.max_target_tokens,
        specialTokens: tokenizer.prefix.length + tokenizer.suffix.length,
      };
      const fit = { ...(learningRate !== undefined && { learningRate }) };
      const results = await runRepairStudy(
        {
          folder: resolve(cli.cwd, options.out),
          rows: {
            train: await readSamples(cli, options.train),
            test,
          },
          ...(options.bugFix !== undefined && {
            bugFixes: {
              train: await readSamples(cli, [options.bugFix]),
              validation: options.bugFixValidation ? await readSamples(cli, [options.bugFixValidation]) : [],
            },
          }),
          model: typeof start === 'string' ? { folder: start, settings: model.settings } : start,
          tokenizer,
          driver,
          paddingInLoss: options.paddingInLoss ?? false,
          batchSize: 8,
          ...(threads !== undefined && { threads }),
          ...(options.scenarios && { scenarios: options.scenarios }),
          ...(options.seeds && { seeds: options.seeds }),
          width: options.beam,
          ...(options.beams && { widths: options.beams }),
          ...(validationShare !== undefined && { validation: { share: validationShare, seed: 42 } }),
          settings: { ...fit, ...(epochs !== undefined && { epochs }), ...(batchSize !== undefined && { batchSize }) },
          preTraining: {
            ...fit,
            ...(preEpochs !== undefined && { epochs: preEpochs }),
            ...(preBatchSize !== undefined && { batchSize: preBatchSize }),
          },
          scoring,
        },
        {
          signal: cli.signal,
          onEvent: (event) => (event.type === 'cell' ? tell(cli, event) : cli.onProgress(event)),
        },
      );
      const folder = resolve(cli.cwd, options.out);
      await writeRepairReport(folder, results);
      const syntax = options.syntax ? await createCSyntax() : undefined;
      const scored: ScoreOptions = {
        ...scoring,
        place: true,
        contextTokens: options.context,
        ...(judgements && { judgements }),
        ...(syntax && { syntax }),
      };
      await writeRepairScores(cli, folder, results, test, scored).finally(() => syntax?.close());
      print(cli, options.json ? JSON.stringify(results, null, 2) : renderTextTable(scoreTable(results)));
    });

function tell(cli: CliContext, { scenario, seed, width, score }: RepairCellEvent): void {
  cli.stderr.write(`${scenario}, seed ${seed}, ${width} beams: perfect prediction ${(100 * score).toFixed(2)}%\n`);
}
