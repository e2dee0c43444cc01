import { join, resolve } from 'node:path';
import { type CounterfactualName, counterfactualNames, type EncodingName, encodingNames } from '@redef/encoders';
import { importStage, resultTable, ruleBasedWarning, runStudy, studyFolder } from '@redef/experiment';
import { Command } from 'commander';
import { addBudgetOptions, type BudgetOptions, budgetOf } from '../budget.js';
import { type CliContext, print } from '../context.js';
import { addMiningOptions, type MiningFlags, miningOptions } from '../mining-options.js';
import { collect, integer, names, seeds } from '../options.js';
import { describeStage, printStage } from '../print-stage.js';
import { writeSampleHistory } from '../sample-history/index.js';
import { localFolder, parseSource } from '../sources.js';
import { renderTextTable } from '../text-table.js';

interface Options extends MiningFlags, BudgetOptions {
  out: string;
  repo?: string[];
  encodings?: EncodingName[];
  counterfactuals?: CounterfactualName[];
  seeds?: number[];
  epochs?: number;
  workers?: number;
  force?: true;
  json?: true;
}

export const studyCommand = (cli: CliContext): Command =>
  addBudgetOptions(
    addMiningOptions(
      new Command('study')
        .description('run the whole chain, from git history to report; does only what changed since the last run')
        .option(
          '--repo <source>',
          'path or URL, or NAME=PATH; repeatable (default: a small generated C history)',
          collect,
        )
        .option('--out <folder>', "the study's folder", 'redef-study')
        .option('--encodings <names>', 'comma-separated (default: the five of the paper)', names(encodingNames))
        .option(
          '--counterfactuals <names>',
          'comma-separated (default: the four of the paper)',
          names(counterfactualNames),
        )
        .option('--seeds <list>', '1,2,3 or 12345-12354 (default: the ten of the paper)', seeds)
        .option('--epochs <n>', 'passes over the training split', integer(1))
        .option('--workers <n>', 'worker processes for mining', integer(0))
        .option('--force', 'run every stage again')
        .option('--json', 'print the results as JSON')
        .addCommand(importCommand(cli)),
    ),
  ).action(async (options: Options) => {
    const { out, repo, encodings, counterfactuals, seeds, epochs, workers, force, json } = options;
    const folder = studyFolder(resolve(cli.cwd, out));
    const repositories = repo
      ? await localRepositories(repo, cli, folder.clone)
      : (await writeSampleHistory(join(folder.root, 'sample-history'))).repositories;
    const { results } = await runStudy(
      {
        out: folder.root,
        repositories,
        mining: miningOptions(options),
        budget: await budgetOf(options, cli),
        ...(encodings && { encodings }),
        ...(counterfactuals && { counterfactuals }),
        ...(seeds && { seeds }),
        ...(epochs !== undefined && { epochs }),
        ...(workers !== undefined && { workers }),
      },
      {
        signal: cli.signal,
        ...(force && { force }),
        onEvent: (event) => {
          if (event.type === 'progress') cli.onProgress(event);
          else if (!isRun(event.result.manifest.stage)) cli.stderr.write(`${describeStage(event.result)}\n`);
        },
      },
    );
    if (json) {
      print(cli, JSON.stringify(results, null, 2));
      return;
    }
    const warning = results.data?.triage.summary.rule_based ? [`Note: ${ruleBasedWarning.text}`, ''] : [];
    print(
      cli,
      [renderTextTable(resultTable(results)), '', ...warning, `report: ${join(folder.report, 'report.html')}`].join(
        '\n',
      ),
    );
  });

const importCommand = (cli: CliContext): Command =>
  new Command('import')
    .description('the report of results that others published per seed, without training')
    .argument('<table>', 'CSV, JSONL or Parquet: model, encoding, seed, metric, value; or a column for each metric')
    .requiredOption('--out <folder>', 'where to write the report')
    .action(async (table: string, { out }: { out: string }) => {
      const at = (path: string): string => resolve(cli.cwd, path);
      printStage(cli, await importStage({ table: at(table), out: at(out) }, { signal: cli.signal }));
    });

/** Training and prediction stages come by the dozen: progress shows them. */
const isRun = (stage: string): boolean => stage === 'train' || stage === 'predict';

async function localRepositories(
  sources: readonly string[],
  cli: CliContext,
  cloneOf: (project: string) => string,
): Promise<{ project: string; path: string }[]> {
  const repositories = [];
  for (const source of sources.map(parseSource)) {
    repositories.push({ project: source.project, path: await localFolder(source, cli, cloneOf) });
  }
  return repositories;
}
