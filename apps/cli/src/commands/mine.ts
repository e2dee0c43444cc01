import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileError } from '@redef/core/files';
import { mineStage } from '@redef/experiment';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addMiningOptions, type MiningFlags, miningOptions } from '../mining-options.js';
import { integer } from '../options.js';
import { printStage } from '../print-stage.js';
import { cloneIn, localFolder, parseSource } from '../sources.js';

interface Options extends MiningFlags {
  out: string;
  repos?: string;
  cache?: string;
  workers?: number;
  json?: true;
}

export const mineCommand = (cli: CliContext): Command =>
  addMiningOptions(
    new Command('mine')
      .description('find defective and clean single-function changes in git histories')
      .argument('[repositories...]', 'paths or URLs; NAME=PATH names the project')
      .requiredOption('--out <folder>', 'where to write PROJECT/changes.jsonl, evidence.jsonl and rejects.jsonl')
      .option('--repos <file>', 'a file with one repository a line; # begins a comment')
      .option('--cache <folder>', 'keeps clones and what was read, for later runs (default: OUT/.cache)')
      .option('--workers <n>', 'worker processes', integer(0))
      .option('--json', 'print the manifests as JSON'),
  ).action(
    async (repositories: string[], { out, repos, cache, workers, json, ...flags }: Options, command: Command) => {
      const sources = [...repositories, ...(repos === undefined ? [] : await readList(resolve(cli.cwd, repos)))].map(
        parseSource,
      );
      if (sources.length === 0) command.error('error: name at least one repository');
      const folder = resolve(cli.cwd, out);
      const kept = cache === undefined ? join(folder, '.cache') : resolve(cli.cwd, cache);
      for (const source of sources) {
        const { project } = source;
        const stage = await mineStage(
          {
            repository: await localFolder(source, cli, cloneIn(join(kept, 'clones'))),
            project,
            out: join(folder, project),
            mining: miningOptions(flags),
            index: join(kept, 'index', project),
            ...(workers !== undefined && { workers }),
          },
          { signal: cli.signal, onEvent: cli.onProgress },
        );
        printStage(cli, stage, json);
      }
    },
  );

async function readList(path: string): Promise<string[]> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    return lines.map((line) => line.replace(/(^|\s)#.*$/, '').trim()).filter((line) => line !== '');
  } catch (error) {
    throw fileError(error, path);
  }
}
