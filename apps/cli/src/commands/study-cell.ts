import { resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { listCells, runCell, studyFolder } from '@redef/experiment/cells';
import { Command } from 'commander';
import { apiKeyFrom } from '../api-key.js';
import { type CliContext, print } from '../context.js';

/** One cell in a process of its own: what the executors start. */
export const cellCommand = (cli: CliContext): Command =>
  new Command('cell')
    .description('run one cell of a planned study, unless its store has it')
    .argument('<study>', 'the folder of redef study')
    .argument('<key>', "the cell's key, or enough of its beginning")
    .option('--json', 'print what became of it as JSON')
    .action(async (folder: string, key: string, { json }: { json?: true }) => {
      const { cells, store } = await listCells(studyFolder(resolve(cli.cwd, folder)));
      const found = cells.filter((cell) => cell.key.startsWith(key));
      const [cell] = found;
      if (!cell || (found.length > 1 && cell.key !== key)) {
        throw new RedefError(`${found.length} cells of this study begin with ${JSON.stringify(key)}`, {
          code: 'invalid-option',
          remedy: 'Take a key from study.json.',
        });
      }
      const outcome = await runCell(cell, store, {
        signal: cli.signal,
        onEvent: cli.onProgress,
        apiKey: apiKeyFrom(cli.env),
      });
      if (json) print(cli, JSON.stringify({ key: cell.key, ...outcome }));
      if (outcome.status === 'failed') {
        const { code, message, remedy } = outcome.failure;
        throw new RedefError(message, { code, remedy });
      }
      if (!json) print(cli, `${cell.key}: ${outcome.reused ? 'in the store already' : 'done'}`);
    });

export const cellAlone = (cli: CliContext): Command => new Command('study').addCommand(cellCommand(cli));
