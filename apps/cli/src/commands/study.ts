import { join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { type CounterfactualName, counterfactualNames, type EncodingName, encodingNames } from '@redef/encoders';
import {
  cellTitle,
  importStage,
  linearModel,
  resultTable,
  ruleBasedWarning,
  runStudy,
  type Study,
  type StudyResults,
  studyFolder,
} from '@redef/experiment';
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
import { cellCommand } from './study-cell.js';
import { createCellProgress } from './study-progress.js';

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
        .addCommand(cellCommand(cli))
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
      models: [linearModel(budget, epochs)],
      ...(ballots !== undefined && { ballots }),
      ...(encodings && { encodings }),
      ...(counterfactuals && { counterfactuals }),
      ...(seeds && { seeds }),
      ...(workers !== undefined && { workers }),
    };
    const tellCell = createCellProgress(cli, Date.now);
    const { results } = await runStudy(study, {
      signal: cli.signal,
      ...(force && { force }),
      onEvent: (event) => {
        if (event.type === 'progress') cli.onProgress(event);
        else if (event.type === 'stage') cli.stderr.write(`${describeStage(event.result)}\n`);
        else tellCell(event);
      },
    }).finally(() => voteCache.close());
    print(cli, json ? JSON.stringify(results, null, 2) : summary(results, join(folder.report, 'report.html')));
    failWhereCellsAreMissing(results);
  });

function summary(results: StudyResults, report: string): string {
  const warning = results.data?.triage.summary.rule_based ? [`Note: ${ruleBasedWarning.text}`, ''] : [];
  return [renderTextTable(resultTable(results)), '', ...warning, `report: ${report}`].join('\n');
}

/** The report is there; the run is not whole. */
function failWhereCellsAreMissing({ missing, cells }: StudyResults): void {
  const [first] = missing;
  if (!first) return;
  const why = first.error ? `${cellTitle(first)}: ${first.error.message}` : `${cellTitle(first)} was not run`;
  throw new RedefError(
    `${missing.length} of ${missing.length + cells.length} cells have no result, the first: ${why}`,
    {
      code: 'cells-missing',
      remedy: 'The report names them. Mend the cause and run the same command again: it does what is missing.',
    },
  );
}

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
