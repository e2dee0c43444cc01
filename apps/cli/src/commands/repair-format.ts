import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RedefError } from '@redef/core';
import { fileError } from '@redef/core/files';
import { writeRows } from '@redef/datasets';
import { formatSample, splitTokens } from '@redef/repair';
import { Command } from 'commander';
import { type CliContext, print } from '../context.js';
import { keepInputs } from '../keep-inputs.js';
import { integer } from '../options.js';

export const repairFormatCommand = (cli: CliContext): Command =>
  new Command('format')
    .description('write pairs of tokenised functions, one a line in two files, as samples with source and target')
    .argument('<before>', 'functions before their fix, tokens separated by spaces')
    .argument('<after>', 'the same functions after it, line by line')
    .requiredOption('--out <file>', 'CSV, JSONL or Parquet, by its ending')
    .option('--cwe <tag>', 'what each source starts with', 'CWE-000')
    .option('--context <n>', 'tokens of context around a hunk', integer(1), 3)
    .action(async (beforePath: string, afterPath: string, options: { out: string; cwe: string; context: number }) => {
      await keepInputs(cli, [beforePath, afterPath], { files: [options.out] });
      const [before, after] = await Promise.all([readLines(cli, beforePath), readLines(cli, afterPath)]);
      if (before.length !== after.length) {
        throw new RedefError(`${beforePath} has ${before.length} lines, ${afterPath} has ${after.length}`, {
          code: 'invalid-argument',
          remedy: 'Name two files whose lines belong together.',
        });
      }
      let unusable = 0;
      const rows = before.flatMap((line, index) => {
        try {
          const pair = [splitTokens(line), splitTokens(after[index]!)] as const;
          return [
            { id: String(index), ...formatSample(...pair, { cwe: options.cwe, contextTokens: options.context }) },
          ];
        } catch (error) {
          if (!RedefError.isInstance(error) || error.disposition !== 'skip') throw error;
          unusable++;
          return [];
        }
      });
      await writeRows(resolve(cli.cwd, options.out), rows, { signal: cli.signal });
      print(cli, `${rows.length} samples; ${unusable} left out, whose tokens are markers of the format`);
    });

async function readLines(cli: CliContext, path: string): Promise<string[]> {
  const whole = resolve(cli.cwd, path);
  try {
    return (await readFile(whole, 'utf8')).replace(/\n$/, '').split('\n');
  } catch (error) {
    throw fileError(error, whole);
  }
}
