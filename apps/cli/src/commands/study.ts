import { join, resolve } from 'node:path';
import { type CounterfactualName, counterfactualNames, type EncodingName, encodingNames } from '@redef/encoders';
import { importStage, resultTable, ruleBasedWarning, runStudy, type Study, studyFolder } from '@redef/experiment';
import { createBudget, defaultPrices, openVoteFile, type Voter } from '@redef/triage';
import { Command } from 'commander';
import { addBudgetOptions, type BudgetOptions, budgetOf } from '../budget.js';
import { type CliContext, print } from '../context.js';
import { addMiningOptions, type MiningFlags, miningOptions } from '../mining-options.js';
import { collect, integer, names, number, seeds } from '../options.js';
import { describeStage, printStage } from '../print-stage.js';
import { writeSampleHistory } from '../sample-history/index.js';
import { localFolder, parseSource } from '../sources.js';
import { renderTextTable } from '../text-table.js';
import { createPanelist } from '../voters.js';

interface Options extends MiningFlags, BudgetOptions {
  out: string;
  repo?: string[];
  voter?: string[];
  ballots?: number;
  budget?: number;
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
        .option('--voter <name>', 'as of redef triage; repeatable (default: rules, offline)', collect)
        .option('--ballots <n>', 'votes on each candidate (default: 3)', integer(1))
        .option('--budget <dollars>', 'stop before a call that could go past this', number(0))
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
    const { out, repo, ballots, encodings, counterfactuals, seeds, epochs, workers, force, json } = options;
    const folder = studyFolder(resolve(cli.cwd, out));
    const repositories = repo
      ? await localRepositories(repo, cli, folder.clone)
      : (await writeSampleHistory(join(folder.root, 'sample-history'))).repositories;
    const voters = votersOf(options, cli);
    const budget = await budgetOf(options, cli);
    const voteCache = await openVoteFile(folder.votes);
    const study: Study = {
      out: folder.root,
      repositories,
      mining: miningOptions(options),
      voters,
      voteCache,
      budget,
      ...(ballots !== undefined && { ballots }),
      ...(encodings && { encodings }),
      ...(counterfactuals && { counterfactuals }),
      ...(seeds && { seeds }),
      ...(epochs !== undefined && { epochs }),
      ...(workers !== undefined && { workers }),
    };
    const { results } = await runStudy(study, {
      signal: cli.signal,
      ...(force && { force }),
      onEvent: (event) => {
        if (event.type === 'progress') cli.onProgress(event);
        else if (!isRun(event.result.manifest.stage)) cli.stderr.write(`${describeStage(event.result)}\n`);
      },
    }).finally(() => voteCache.close());
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

function votersOf({ voter = ['rules'], budget }: Pick<Options, 'voter' | 'budget'>, cli: CliContext): Voter[] {
  const money = { prices: defaultPrices, ...(budget !== undefined && { budget: createBudget(budget) }) };
  return voter.map((spec) => createPanelist(spec, {}, money, { env: cli.env, now: Date.now }).voter);
}

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
