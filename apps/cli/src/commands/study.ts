import { basename, dirname, join, resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { type CounterfactualName, counterfactualNames, type EncodingName, encodingNames } from '@redef/encoders';
import {
  cellTitle,
  checkStudy,
  readStudyFile,
  resultTable,
  ruleBasedWarning,
  runStudy,
  type StudyFile,
  type StudyFolder,
  type StudyResults,
  studyDesign,
  studyFolder,
} from '@redef/experiment';
import { openRepository } from '@redef/mining';
import { createBudget, defaultPrices, openVoteFile, type Voter } from '@redef/triage';
import { Command } from 'commander';
import { addBudgetOptions, type BudgetOptions } from '../budget.js';
import { type CliContext, print } from '../context.js';
import { addExecutorOptions, type ExecutorFlags, executorOf } from '../executor-flags.js';
import { addMiningOptions, type MiningFlags } from '../mining-options.js';
import { collect, integer, names, number, seeds } from '../options.js';
import { describeStage } from '../print-stage.js';
import { writeSampleHistory } from '../sample-history/index.js';
import { localFolder, parseSource } from '../sources.js';
import { studyOfFlags } from '../study-flags.js';
import { renderTextTable } from '../text-table.js';
import { createPanelist } from '../voters.js';
import { cellCommand } from './study-cell.js';
import { importCommand } from './study-import.js';
import { createCellProgress } from './study-progress.js';
import { pruneCommand } from './study-prune.js';
import { statusCommand } from './study-status.js';

/** What a study file says instead, where there is one. */
export interface StudyFlags extends MiningFlags, BudgetOptions {
  repo?: string[];
  voter?: string[];
  ballots?: number;
  encodings?: EncodingName[];
  counterfactuals?: CounterfactualName[];
  seeds?: number[];
  epochs?: number;
}

interface RunFlags extends ExecutorFlags {
  out: string;
  budget?: number;
  workers?: number;
  force?: true;
  json?: true;
}

export const studyCommand = (cli: CliContext): Command =>
  addExecutorOptions(
    addBudgetOptions(
      addMiningOptions(
        new Command('study')
          .description('run the whole chain, from git history to report; does only what changed since the last run')
          .argument(
            '[file]',
            'a study file: YAML, or a TypeScript or JavaScript module; it says what the options would',
          )
          .option(
            '--repo <source>',
            'path or URL, or NAME=PATH; repeatable (default: a small generated C history)',
            collect,
          )
          .option('--out <folder>', "the study's folder", 'redef-study')
          .option('--voter <name>', 'as of redef triage; repeatable (default: rules, offline)', collect)
          .option('--ballots <n>', 'votes on each candidate (default: 3)', integer(1))
          .option('--budget <dollars>', 'stop before a vote that could go past this', number(0))
          .option('--encodings <names>', 'comma-separated (default: the five of the paper)', names(encodingNames))
          .option(
            '--counterfactuals <names>',
            'comma-separated (default: the four of the paper)',
            names(counterfactualNames),
          )
          .option('--seeds <list>', '1,2,3 or 12345-12354 (default: the ten of the paper)', seeds)
          .option('--epochs <n>', 'passes over the training split', integer(1))
          .option('--workers <n>', 'worker processes for mining', integer(0))
          .option('--force', 'run every stage again; cells in the store stay')
          .option('--json', 'print the results as JSON')
          .addCommand(cellCommand(cli))
          .addCommand(importCommand(cli))
          .addCommand(statusCommand(cli))
          .addCommand(pruneCommand(cli)),
      ),
    ),
  ).action(async (file: string | undefined, options: StudyFlags & RunFlags) => {
    const { out, workers, force, json } = options;
    const executor = executorOf(options, cli);
    const folder = studyFolder(resolve(cli.cwd, out));
    const { study, base } = await studyOf(file, options, folder, cli);
    const repositories = await localRepositories(study, base, folder, cli);
    const design = await studyDesign(study, {
      base,
      cacheFolder: folder.hub,
      signal: cli.signal,
      onEvent: cli.onProgress,
    });
    const voters = votersOf(study.triage.voters, options.budget, cli);
    const voteCache = await openVoteFile(folder.votes);
    const tellCell = createCellProgress(cli, Date.now);
    const { results } = await runStudy(
      {
        ...design,
        out: folder.root,
        repositories,
        voters,
        voteCache,
        executor,
        ...(workers !== undefined && { workers }),
      },
      {
        signal: cli.signal,
        ...(force && { force }),
        onEvent: (event) => {
          if (event.type === 'progress') cli.onProgress(event);
          else if (event.type === 'stage') cli.stderr.write(`${describeStage(event.result)}\n`);
          else tellCell(event);
        },
      },
    ).finally(() => voteCache.close());
    print(cli, json ? JSON.stringify(results, null, 2) : summary(results, join(folder.report, 'report.html')));
    failWhereCellsAreMissing(results);
  });

async function studyOf(
  file: string | undefined,
  flags: StudyFlags,
  folder: StudyFolder,
  cli: CliContext,
): Promise<{ study: StudyFile; base: string }> {
  const said = studyOfFlags(flags);
  if (file !== undefined) {
    const [flag] = said.given;
    if (flag === undefined) {
      const path = resolve(cli.cwd, file);
      return { study: await readStudyFile(path), base: dirname(path) };
    }
    throw new RedefError(`--${flag} beside a study file`, {
      code: 'invalid-option',
      remedy: `Say it in ${basename(file)}, or leave the file out.`,
    });
  }
  const sample = async (): Promise<{ project: string; source: string }[]> => {
    const { repositories } = await writeSampleHistory(join(folder.root, 'sample-history'));
    return repositories.map(({ project, path }) => ({ project, source: path }));
  };
  const repositories = said.repositories ?? (await sample());
  return { study: checkStudy({ ...said.study, repositories }, 'the options'), base: cli.cwd };
}

async function localRepositories(
  { repositories }: StudyFile,
  base: string,
  folder: StudyFolder,
  cli: CliContext,
): Promise<{ project: string; path: string }[]> {
  const found = [];
  for (const { project, source } of repositories) {
    const parsed = project === undefined ? parseSource(source) : { project, location: source };
    const path = await localFolder(parsed, { ...cli, cwd: base }, folder.clone);
    await openRepository(path); // before models are downloaded
    found.push({ project: parsed.project, path });
  }
  return found;
}

function votersOf(specs: readonly string[], budget: number | undefined, cli: CliContext): Voter[] {
  const money = { prices: defaultPrices, ...(budget !== undefined && { budget: createBudget(budget) }) };
  return specs.map((spec) => createPanelist(spec, {}, money, { env: cli.env, now: Date.now }).voter);
}

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
